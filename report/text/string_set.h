/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set stores each string once and knows it by a number. String 0 is "". */
#ifndef REPORT_TEXT_STRING_SET_H
#define REPORT_TEXT_STRING_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "common/index.h"
#include "common/vec.h"
#include "common/arena.h"

struct string {
	const char *s; /* NUL-terminated */
	uint32_t len;  /* bytes */
};

/* string_set_init makes a set. */
struct string_set {
	VEC(struct string) items;
	struct index index;
	struct arena arena;
};

/* Makes the set that holds "". Returns 0 or -ENOMEM. */
int string_set_init(struct string_set *strings);

/* Releases the set; an all-zero set is fine. */
void string_set_deinit(struct string_set *strings);

/* Finds or adds the @len bytes at @s. Returns 0 with *@id set, or -ENOMEM. */
int string_set_add(struct string_set *strings, const char *s, uint32_t len, uint32_t *id);

/* Looks for the @len bytes at @s. Returns true with *@id set if the set has them. */
bool string_set_find(const struct string_set *strings, const char *s, uint32_t len, uint32_t *id);

/* Returns string @id. The string lives as long as the set, also when others are added. */
static inline const char *string_set_get(const struct string_set *strings, uint32_t id)
{
	return strings->items.data[id].s;
}

#endif
