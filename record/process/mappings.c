// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/mappings.h"

#include <string.h>

#include "common/search.h"

size_t mappings_position(const mapping_vec *mappings, uint64_t addr)
{
	return search_first(mappings->nr, i, mappings->data[i].end > addr);
}

const struct mapping *mappings_find(const mapping_vec *mappings, uint64_t addr)
{
	size_t at = mappings_position(mappings, addr);

	return at < mappings->nr && mappings->data[at].start <= addr ? &mappings->data[at] : NULL;
}

int mappings_insert(mapping_vec *mappings, size_t at, const struct mapping *mapping)
{
	int ret = vec_reserve(mappings, 1);

	if (ret)
		return ret;
	memmove(mappings->data + at + 1, mappings->data + at,
		(mappings->nr - at) * sizeof(*mappings->data));
	mappings->data[at] = *mapping;
	mappings->nr++;
	return 0;
}

void mappings_remove(mapping_vec *mappings, size_t at)
{
	mappings->nr--;
	memmove(mappings->data + at, mappings->data + at + 1,
		(mappings->nr - at) * sizeof(*mappings->data));
}

int mappings_append(mapping_vec *mappings, const struct mapping *mapping)
{
	while (mappings->nr && mappings->data[mappings->nr - 1].end > mapping->start) {
		struct mapping *last = &mappings->data[mappings->nr - 1];

		if (last->start >= mapping->start) {
			mappings->nr--;
			continue;
		}
		last->end = mapping->start;
	}
	return vec_push(mappings, *mapping);
}
