// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/strings.h"

#include <errno.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

int strings_init(struct strings *strings)
{
	uint32_t id;

	*strings = (struct strings){0};
	return strings_add(strings, "", 0, &id);
}

void strings_deinit(struct strings *strings)
{
	vec_free(&strings->items);
	index_deinit(&strings->index);
	arena_deinit(&strings->arena);
}

int strings_add(struct strings *strings, const char *s, uint32_t len, uint32_t *id)
{
	uint64_t hash = XXH3_64bits(s, len);
	struct string copy = {.len = len};

	index_for_each(&strings->index, hash, i) {
		const struct string *have = &strings->items.data[i];

		if (have->len == len && !memcmp(have->s, s, len)) {
			*id = i;
			return 0;
		}
	}
	if (strings->items.nr >= INDEX_NONE)
		return -ENOMEM;
	copy.s = arena_copy(&strings->arena, s, len);
	if (!copy.s || vec_push(&strings->items, copy) ||
	    index_insert(&strings->index, hash, strings->items.nr - 1))
		return -ENOMEM;
	*id = strings->items.nr - 1;
	return 0;
}
