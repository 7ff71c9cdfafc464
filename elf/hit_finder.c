// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/hit_finder.h"

#include <errno.h>
#include <stdlib.h>

#include "common/minmax.h"

/*
 * How many stretches there are at most for each hit, and for each hit in a table that fits into a
 * cache. Each takes four bytes. The more there are, the fewer have a hit, and the fewer searches
 * go one way or another.
 */
#define STRETCHES_PER_HIT       4
#define STRETCHES_PER_HIT_SMALL 16
#define STRETCHES_SMALL         (64u << 10)

int hit_finder_init(struct hit_finder *finder, const struct range_hit *hits, size_t nr)
{
	struct hit_finder new = {.hits = hits, .nr = nr};
	size_t nr_stretches, next = 0, max;

	if (!nr) {
		*finder = new;
		return 0;
	}
	new.base = hits[0].addr;
	new.last = hits[nr - 1].addr;
	max = max_u64(nr * STRETCHES_PER_HIT,
		      min_u64(nr * STRETCHES_PER_HIT_SMALL, STRETCHES_SMALL));
	while ((new.last - new.base) >> new.shift >= max)
		new.shift++;
	nr_stretches = ((new.last - new.base) >> new.shift) + 1;
	new.firsts = calloc(nr_stretches + 1, sizeof(*new.firsts));
	if (!new.firsts)
		return -ENOMEM;
	for (size_t i = 0; i <= nr_stretches; i++) {
		while (next < nr && (hits[next].addr - new.base) >> new.shift < i)
			next++;
		new.firsts[i] = next;
	}
	*finder = new;
	return 0;
}

void hit_finder_deinit(struct hit_finder *finder)
{
	free(finder->firsts);
	*finder = (struct hit_finder){0};
}
