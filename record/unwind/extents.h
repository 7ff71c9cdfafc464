/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which parts of a range of numbers are free: rows and pages of unwind tables. Taken parts are
 * given back in any order. No part crosses a multiple of a boundary.
 */
#ifndef RECORD_UNWIND_EXTENTS_H
#define RECORD_UNWIND_EXTENTS_H

#include <stdint.h>

#include "common/vec.h"

struct extent {
	uint32_t first, nr;
};

/* All zero but the boundary: nothing is free. */
struct extents {
	VEC(struct extent) free; /* sorted; neighbours are one, but for those at a boundary */
	uint32_t boundary;       /* a power of two; 0: none */
	uint32_t nr_free;
};

/* Takes @nr numbers, not 0, that follow each other, from *@first on. Returns 0 or -ENOSPC. */
int extents_take(struct extents *extents, uint32_t nr, uint32_t *first);

/* Gives numbers back, or makes new ones known. Returns 0, or -ENOMEM: they are lost then. */
int extents_give(struct extents *extents, uint32_t first, uint32_t nr);

void extents_deinit(struct extents *extents);

#endif
