/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which symbol covers an address. Symbols overlap: one function lies inside another, a name has
 * aliases, a hand-written one ends where no one can tell. The rule: of the symbols that cover the
 * address, the one that starts nearest; of those that start there, the smallest; of those that are
 * equal, the name that range_prefer picks.
 *
 * Addresses are given sorted and resolved in one pass, so the cost does not depend on how the
 * symbols overlap.
 */
#ifndef REPORT_SYMBOLS_RANGES_H
#define REPORT_SYMBOLS_RANGES_H

#include <stddef.h>
#include <stdint.h>

/* How strongly a name stands for its address; lower is preferred. */
enum range_binding {
	RANGE_GLOBAL,
	RANGE_WEAK,
	RANGE_LOCAL,
};

/* [start, start + size) is called name. */
struct range {
	uint64_t start, size;
	const char *name; /* not necessarily NUL-terminated */
	uint32_t len;     /* bytes of the name */
	uint8_t binding;  /* enum range_binding */
};

/* A question and its answer. */
struct range_hit {
	uint64_t addr;
	uint32_t tag;              /* the caller's */
	const struct range *range; /* NULL: nothing covers the address */
};

/* Sorts hits by address, then tag. */
void range_hits_sort(struct range_hit *hits, size_t nr);

/*
 * Negative when @a is the better name for an address that both have, positive when @b is, 0 when
 * they are the same: the stronger binding, fewer leading underscores, the shorter, the first in
 * byte order.
 */
int range_prefer(const struct range *a, const struct range *b);

/* Position of the first of the sorted @hits at or above @addr, @nr when there is none. */
size_t range_hits_lower(const struct range_hit *hits, size_t nr, uint64_t addr);

/* Sorts @ranges and sets the range of each of the sorted @hits. Returns 0 or -ENOMEM. */
int ranges_resolve(struct range *ranges, size_t nr, struct range_hit *hits, size_t nr_hits);

#endif
