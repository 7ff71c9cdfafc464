// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/found_symbols.h"

int found_symbols_init(struct found_symbols *found)
{
	*found = (struct found_symbols){0};
	return string_set_init(&found->names);
}

void found_symbols_deinit(struct found_symbols *found)
{
	string_set_deinit(&found->names);
	vec_free(&found->symbols);
}

int found_symbols_add(struct found_symbols *found, uint32_t object, const struct range_hit *hit,
		      uint64_t offset)
{
	const struct range *range = hit->range;
	uint64_t before = hit->addr - range->start;
	const struct prof_symbol *last =
		found->symbols.nr ? &found->symbols.data[found->symbols.nr - 1] : NULL;
	struct prof_symbol symbol = {
		.object = object, .offset = offset - before, .size = range->size};
	int ret;

	/* The format has no symbol that begins before its object or ends after the last offset. */
	if (before > offset || range->size > UINT64_MAX - symbol.offset ||
	    range->len > PROF_MAX_STRING_BYTES)
		return 0;
	if (last && last->object == object && last->offset == symbol.offset &&
	    last->size == symbol.size)
		return 0;
	ret = string_set_add(&found->names, range->len ? range->name : "", range->len,
			     &symbol.name);
	return ret ? ret : vec_push(&found->symbols, symbol);
}
