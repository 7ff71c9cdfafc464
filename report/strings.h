/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of strings, each stored once and known by a number. String 0 is "".
 */
#ifndef REPORT_STRINGS_H
#define REPORT_STRINGS_H

#include <stddef.h>
#include <stdint.h>

#include "common/index.h"
#include "common/vec.h"
#include "report/arena.h"

struct string {
	const char *s; /* NUL-terminated */
	uint32_t len;  /* bytes */
};

/* Initialise with strings_init. */
struct strings {
	VEC(struct string) items;
	struct index index;
	struct arena arena;
};

/* Makes the set that holds "". Returns 0 or -ENOMEM. */
int strings_init(struct strings *strings);

/* Releases the set; all zero is fine. */
void strings_deinit(struct strings *strings);

/* Finds or adds the @len bytes at @s. Returns 0 with *@id set, or -ENOMEM. */
int strings_add(struct strings *strings, const char *s, uint32_t len, uint32_t *id);

/* String @id; lives as long as the set, whatever is added. */
static inline const char *strings_get(const struct strings *strings, uint32_t id)
{
	return strings->items.data[id].s;
}

#endif
