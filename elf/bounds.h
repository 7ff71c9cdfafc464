/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bounds of functions that have no symbol. Stripped files keep .eh_frame, which has an entry
 * for each function or for each part of one. The start of a function depends on the file alone. So
 * it stands for the function in every recording of that build-id.
 */
#ifndef ELF_BOUNDS_H
#define ELF_BOUNDS_H

#include <stddef.h>

#include "common/vec.h"
#include "elf/elffile.h"
#include "elf/ranges.h"

/* All-zero bounds are empty. */
struct bounds {
	VEC(struct range) ranges; /* without names */
};

/*
 * Sets the ranges of the sorted @hits, as far as @file knows the functions. The ranges have no
 * names, and live as long as @bounds. Call it once for @bounds. Damaged entries are skipped.
 * Returns 0 or -ENOMEM.
 */
int bounds_resolve(struct bounds *bounds, struct elf_file *file, struct range_hit *hits,
		   size_t nr_hits);

/* Releases the bounds; all-zero bounds are fine. */
void bounds_deinit(struct bounds *bounds);

#endif
