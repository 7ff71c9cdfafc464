/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keys of the labels that the user asks for, by which requests are told apart. */
#ifndef RECORD_LOOKS_LABEL_KEYS_H
#define RECORD_LOOKS_LABEL_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/shared.h"

/* All zero: there are none. The program knows a key by its place. */
struct label_keys {
	uint32_t nr;
	bool are_chosen; /* by the user */
	bool has_traces; /* the ids of trace and span are labels, too */
	char names[LABEL_KEYS_MAX][LABEL_KEY_BYTES];
};

/* The keys that are kept unless the user names others. */
extern const struct label_keys label_keys_default;

/*
 * Sets @keys, a struct label_keys, to the names in @text, which commas separate; "none" is none.
 * Returns 0, or -EINVAL for an empty or a long name, two equal ones, or too many.
 */
int label_keys_parse(const char *text, void *keys);

/* The place of the key @name of @len bytes; @keys->nr: it is none of them. */
uint32_t label_keys_find(const struct label_keys *keys, const char *name, size_t len);

/* Sets @names to the keys as the program compares them. */
void label_keys_describe(const struct label_keys *keys, struct label_name names[LABEL_KEYS_MAX]);

#endif
