/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function that orders two elements, for qsort and others, is a list of COMPARE. The most
 * significant comes first, and return 0 ends the list. Of one address the larger size comes first:
 *
 *	COMPARE(a->addr, b->addr);
 *	COMPARE(b->size, a->size);
 *	return 0;
 */
#ifndef COMMON_COMPARE_H
#define COMMON_COMPARE_H

/* Returns -1 or 1 from the function if one of two numbers is smaller. Evaluates each twice. */
#define COMPARE(a, b)                                                                              \
	do {                                                                                       \
		if ((a) != (b))                                                                    \
			return (a) < (b) ? -1 : 1;                                                 \
	} while (0)

#endif
