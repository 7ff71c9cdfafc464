// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text/string_set.h"

#include <errno.h>
#include <string.h>

#include "common/hash.h"

int string_set_init(struct string_set *strings)
{
	uint32_t id;

	*strings = (struct string_set){0};
	return string_set_add(strings, "", 0, &id);
}

void string_set_deinit(struct string_set *strings)
{
	vec_free(&strings->items);
	index_deinit(&strings->index);
	arena_deinit(&strings->arena);
}

static bool find_string(const struct string_set *strings, const char *s, uint32_t len,
			uint64_t hash, uint32_t *id)
{
	index_for_each(&strings->index, hash, i) {
		const struct string *have = &strings->items.data[i];

		if (have->len == len && !memcmp(have->s, s, len)) {
			*id = i;
			return true;
		}
	}
	return false;
}

bool string_set_find(const struct string_set *strings, const char *s, uint32_t len, uint32_t *id)
{
	return find_string(strings, s, len, hash_bytes(s, len, 0), id);
}

int string_set_add(struct string_set *strings, const char *s, uint32_t len, uint32_t *id)
{
	uint64_t hash = hash_bytes(s, len, 0);
	struct string copy = {.len = len};

	if (find_string(strings, s, len, hash, id))
		return 0;
	if (strings->items.nr >= INDEX_NONE)
		return -ENOMEM;
	copy.s = arena_copy(&strings->arena, s, len);
	if (!copy.s || vec_push(&strings->items, copy) ||
	    index_insert(&strings->index, hash, strings->items.nr - 1))
		return -ENOMEM;
	*id = strings->items.nr - 1;
	return 0;
}
