/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the texts of a JSON object whose place is known: its members, and members of its members.
 * All else is passed over. The text comes from the host's own files, but parts of it are chosen by
 * whoever starts containers, so depth and sizes are bounded and no text is trusted to end.
 */
#ifndef RECORD_LOOKS_JSON_MEMBERS_H
#define RECORD_LOOKS_JSON_MEMBERS_H

#include <stddef.h>

/* Longer keys and values are cut, with the NUL. */
#define JSON_KEY_BYTES   128
#define JSON_VALUE_BYTES 256

/*
 * Takes the text @value of the member @key of the object @outer, which is "" for the object that
 * the text is. A value with a NUL in it is never handed over. Returns 0, or another number that
 * ends the visit.
 */
typedef int json_member_fn(void *ctx, const char *outer, const char *key, const char *value);

/*
 * Hands the texts in the JSON text @json of @len bytes to @take, in their order. Returns 0, what
 * @take returned, or -EBADMSG where it is no JSON or too deep: what stands before was handed over.
 */
int json_members_visit(const char *json, size_t len, json_member_fn *take, void *ctx);

#endif
