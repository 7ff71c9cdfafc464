/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds hits by address, for each symbol of large tables. Most symbols have no hit, so the search
 * is most of the work. A table with the first hit of each stretch of addresses makes it short:
 * hits that are spread evenly are found at once, and others by binary search in their stretch.
 */
#ifndef ELF_HIT_FINDER_H
#define ELF_HIT_FINDER_H

#include <stddef.h>
#include <stdint.h>

#include "common/search.h"
#include "elf/ranges.h"

struct hit_finder {
	const struct range_hit *hits; /* sorted */
	size_t nr;
	uint64_t base, last; /* the addresses of the first and of the last hit */
	unsigned int shift;  /* a stretch has 2^shift addresses */
	uint32_t *firsts;    /* for each stretch, and for the one after the last */
};

/* Prepares for the @nr sorted @hits, which stay the caller's. Returns 0 or -ENOMEM. */
int hit_finder_init(struct hit_finder *finder, const struct range_hit *hits, size_t nr);

/* Returns the position of the first hit at or above @addr, the number of hits if there is none. */
static inline size_t hit_finder_lower(const struct hit_finder *finder, uint64_t addr)
{
	size_t stretch, first;

	if (!finder->nr || addr > finder->last)
		return finder->nr;
	if (addr <= finder->base)
		return 0;
	stretch = (addr - finder->base) >> finder->shift;
	first = finder->firsts[stretch];
	return first + search_first(finder->firsts[stretch + 1] - first, i,
				    finder->hits[first + i].addr >= addr);
}

/* Releases the table; an all-zero finder is fine. */
void hit_finder_deinit(struct hit_finder *finder);

#endif
