/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorting of elements that are often in order already: addresses as the recorder writes them,
 * symbols as a linker does. qsort compares them as often as any others.
 */
#ifndef COMMON_SORT_H
#define COMMON_SORT_H

#include <stddef.h>
#include <stdlib.h>

/* Sorts @nr elements of @size bytes as qsort does. @items may be NULL if there are none. */
static inline void sort_items(void *items, size_t nr, size_t size,
			      int (*compare)(const void *a, const void *b))
{
	const char *item = items;

	for (size_t i = 1; i < nr; i++, item += size) {
		if (compare(item, item + size) > 0) {
			qsort(items, nr, size, compare);
			return;
		}
	}
}

#endif
