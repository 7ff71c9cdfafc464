// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/extents.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/search.h"

static void remove_at(struct extents *e, size_t at)
{
	e->free.nr--;
	memmove(e->free.data + at, e->free.data + at + 1,
		(e->free.nr - at) * sizeof(*e->free.data));
}

int extents_take(struct extents *e, uint32_t nr, uint32_t *first)
{
	for (size_t i = 0; i < e->free.nr; i++) {
		struct extent *extent = &e->free.data[i];

		if (extent->nr < nr)
			continue;
		*first = extent->first;
		extent->first += nr;
		extent->nr -= nr;
		e->nr_free -= nr;
		if (!extent->nr)
			remove_at(e, i);
		return 0;
	}
	return -ENOSPC;
}

static bool is_at_boundary(const struct extents *e, uint32_t number)
{
	return e->boundary && !(number & (e->boundary - 1));
}

/* The first extent that begins at or after @number. */
static size_t find_position(const struct extents *e, uint32_t number)
{
	return search_first(e->free.nr, i, e->free.data[i].first >= number);
}

int extents_give(struct extents *e, uint32_t first, uint32_t nr)
{
	size_t at = find_position(e, first);
	struct extent *before = at ? &e->free.data[at - 1] : NULL;
	struct extent *after = at < e->free.nr ? &e->free.data[at] : NULL;
	bool joins_before =
		before && before->first + before->nr == first && !is_at_boundary(e, first);
	bool joins_after = after && first + nr == after->first && !is_at_boundary(e, after->first);

	if (!joins_before && !joins_after) {
		if (vec_push(&e->free, ((struct extent){0})))
			return -ENOMEM;
		memmove(e->free.data + at + 1, e->free.data + at,
			(e->free.nr - 1 - at) * sizeof(*e->free.data));
		e->free.data[at] = (struct extent){first, nr};
	} else if (joins_before) {
		before->nr += nr;
		if (joins_after) {
			before->nr += after->nr;
			remove_at(e, at);
		}
	} else {
		after->first = first;
		after->nr += nr;
	}
	e->nr_free += nr;
	return 0;
}

void extents_deinit(struct extents *e)
{
	vec_free(&e->free);
}
