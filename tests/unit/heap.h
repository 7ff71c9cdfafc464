/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is all memory released? A body that allocates and releases runs again and again; once the
 * allocator has its caches, the heap must not grow by a block in each round any more:
 *
 *	heap_for_each_round(i)
 *		create, use and destroy
 *	ck_assert(!heap_has_grown());
 */
#ifndef TESTS_HEAP_H
#define TESTS_HEAP_H

#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>

#define HEAP_ROUNDS 128

/* The least that malloc takes for a block. The caches of the allocator move by much less. */
#define HEAP_LEAST_BYTES 32

static size_t heap_before, heap_after; /* bytes in use: halfway, and after the last round */

static inline size_t heap_bytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static inline bool heap_next(int i)
{
	if (i == HEAP_ROUNDS / 2)
		heap_before = heap_bytes();
	heap_after = heap_bytes();
	return i < HEAP_ROUNDS;
}

static inline bool heap_has_grown(void)
{
	return heap_after >= heap_before + HEAP_ROUNDS / 2 * HEAP_LEAST_BYTES;
}

#define heap_for_each_round(i) for (int i = 0; heap_next(i); i++)

#endif
