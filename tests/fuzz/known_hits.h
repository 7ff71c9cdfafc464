/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks the names that were found for addresses. */
#ifndef TESTS_FUZZ_KNOWN_HITS_H
#define TESTS_FUZZ_KNOWN_HITS_H

#include <stdlib.h>
#include <string.h>

#include "elf/ranges.h"

/* Returns how many of the @nr hits have a name or bounds. Aborts if one is wrong. */
static inline size_t known_hits(const struct range_hit *hits, size_t nr)
{
	size_t nr_known = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct range *range = hits[i].range;

		if (!range)
			continue;
		if (hits[i].addr - range->start >= range->size ||
		    memchr(range->name, '\0', range->len))
			abort();
		nr_known++;
	}
	return nr_known;
}

#endif
