/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attribute lists: the payload of sections that hold one record each. An attribute is a tag, a
 * length and a value. A reader passes over tags that it does not know, so that later versions can
 * add tags. Tags ascend, so each tag occurs once.
 */
#ifndef FORMAT_ATTRS_H
#define FORMAT_ATTRS_H

#include <stdint.h>

#include "common/cursor.h"
#include "format/bytes.h"
#include "format/fault.h"

/* Appends an attribute whose value is a varint. */
void attrs_put_u64(struct bytes *b, unsigned int tag, uint64_t value);

/* Appends an attribute whose value is @len bytes. */
void attrs_put_bytes(struct bytes *b, unsigned int tag, const void *data, size_t len);

/*
 * Takes the next attribute from @list. Returns 1 with *@tag and *@value set, 0 at the end, or
 * -EBADMSG. On entry *@tag is the previous tag, or 0 before the first. No tag is 0.
 */
int attrs_next(struct cursor *list, uint64_t *tag, struct cursor *value, struct fault *fault);

/* Reads @value as one varint of at most @max. Returns 0 or -EBADMSG. */
int attrs_get_u64(struct cursor *value, uint64_t tag, uint64_t max, uint64_t *number,
		  struct fault *fault);

/* A number in a struct that has an attribute of its own. */
struct attr_field {
	unsigned int tag;
	unsigned int off;  /* in the struct */
	unsigned int size; /* bytes: 1, 4 or 8 */
	uint64_t max;      /* largest value */
};

/* Describes the @field of the struct @record: the attribute @tag, of at most @max. */
#define ATTR_FIELD(record, tag, field, max)                                                        \
	{                                                                                          \
		tag, offsetof(record, field), sizeof(((record *)0)->field), max                    \
	}

/* Appends @field of @record. */
void attrs_put_field(struct bytes *b, const struct attr_field *field, const void *record);

/*
 * Returns 1 if one of the @nr @fields has @tag, and sets it in @record. Returns 0 if none has, or
 * -EBADMSG.
 */
int attrs_get_field(const struct attr_field *fields, unsigned int nr, uint64_t tag,
		    struct cursor *value, void *record, struct fault *fault);

#endif
