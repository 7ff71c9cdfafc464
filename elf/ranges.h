/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the symbol that covers an address. Symbols overlap: one function lies inside another, a
 * name has aliases, a hand-written symbol has no certain end. Of the symbols that cover the
 * address, the one with the nearest start wins. Of several with that start, the smallest wins. Of
 * equal ones, range_prefer picks the name.
 *
 * Addresses come sorted, and one pass resolves them. So the cost does not depend on the overlaps of
 * the symbols.
 */
#ifndef ELF_RANGES_H
#define ELF_RANGES_H

#include <stddef.h>
#include <stdint.h>

/* The rank of a name for its address; a lower one is preferred. */
enum range_binding {
	RANGE_GLOBAL,
	RANGE_WEAK,
	RANGE_LOCAL,
};

/* [start, start + size) is called name. Without a name, it is a function that nobody names. */
struct range {
	uint64_t start, size;
	const char *name; /* may lack a NUL */
	uint32_t len;     /* bytes of the name */
	uint8_t binding;  /* enum range_binding */
};

/* An address, and the range that answers for it. */
struct range_hit {
	uint64_t addr;
	uint32_t tag;              /* for the caller */
	const struct range *range; /* NULL: no range covers the address */
};

/* Sorts hits by address, then tag. */
void range_hits_sort(struct range_hit *hits, size_t nr);

/*
 * Compares names of one address. Returns a negative number if @a is the better name, a positive one
 * if @b is, 0 if they are equal. The stronger binding wins, then fewer leading underscores, then
 * the shorter name, then the first in byte order.
 */
int range_prefer(const struct range *a, const struct range *b);

/* Returns the position of the first of the sorted @hits at or above @addr, @nr if there is none. */
size_t range_hits_lower(const struct range_hit *hits, size_t nr, uint64_t addr);

/* Sorts ranges by start, those of one start from the worst to the best. */
void ranges_sort(struct range *ranges, size_t nr);

/* Sorts @ranges and sets the range of each of the sorted @hits. Returns 0 or -ENOMEM. */
int ranges_resolve(struct range *ranges, size_t nr, struct range_hit *hits, size_t nr_hits);

#endif
