// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/ranges.h"

#include <errno.h>
#include <string.h>

#include "common/compare.h"
#include "common/search.h"
#include "common/sort.h"
#include "common/vec.h"

static int compare_hits(const void *a, const void *b)
{
	const struct range_hit *x = a, *y = b;

	COMPARE(x->addr, y->addr);
	COMPARE(x->tag, y->tag);
	return 0;
}

void range_hits_sort(struct range_hit *hits, size_t nr)
{
	sort_items(hits, nr, sizeof(*hits), compare_hits);
}

static uint32_t leading_underscores(const struct range *r)
{
	uint32_t n = 0;

	while (n < r->len && r->name[n] == '_')
		n++;
	return n;
}

int range_prefer(const struct range *a, const struct range *b)
{
	uint32_t x, y;

	COMPARE(a->binding, b->binding);
	x = leading_underscores(a);
	y = leading_underscores(b);
	COMPARE(x, y);
	COMPARE(a->len, b->len);
	return memcmp(a->name, b->name, a->len);
}

size_t range_hits_lower(const struct range_hit *hits, size_t nr, uint64_t addr)
{
	return search_first(nr, i, hits[i].addr >= addr);
}

/* Among ranges with one start, the best is the last, because ranges_resolve takes the last. */
static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	COMPARE(x->start, y->start);
	COMPARE(y->size, x->size);
	return range_prefer(y, x);
}

void ranges_sort(struct range *ranges, size_t nr)
{
	sort_items(ranges, nr, sizeof(*ranges), compare_ranges);
}

/* Returns true if @addr, which is not below the start, is after the end. */
static bool is_past(const struct range *range, uint64_t addr)
{
	return addr - range->start >= range->size;
}

int ranges_resolve(struct range *ranges, size_t nr, struct range_hit *hits, size_t nr_hits)
{
	/*
	 * Ranges that began and may still cover an address. The one with the nearest start is on
	 * top.
	 */
	VEC(const struct range *) open = {0};
	size_t next = 0;

	ranges_sort(ranges, nr);
	for (size_t i = 0; i < nr_hits; i++) {
		for (; next < nr && ranges[next].start <= hits[i].addr; next++) {
			const struct range *range = &ranges[next];

			/* A range that has ended already would be pushed only to be popped. */
			if (is_past(range, hits[i].addr))
				continue;
			if (vec_push(&open, range)) {
				vec_free(&open);
				return -ENOMEM;
			}
		}
		while (open.nr && is_past(open.data[open.nr - 1], hits[i].addr))
			open.nr--;
		hits[i].range = open.nr ? open.data[open.nr - 1] : NULL;
	}
	vec_free(&open);
	return 0;
}
