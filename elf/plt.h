/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for the stubs of the procedure linkage table. Linkers give them no symbols. A
 * stub jumps through a slot of the global offset table, and the slot's relocation names the
 * function. The stub's name is that name with "@plt", as objdump and perf write it.
 */
#ifndef ELF_PLT_H
#define ELF_PLT_H

#include <stddef.h>

#include "common/vec.h"
#include "elf/elffile.h"
#include "elf/ranges.h"
#include "common/arena.h"

/* An all-zero PLT is empty. */
struct plt {
	VEC(struct range) ranges;
	struct arena names;
};

/*
 * Sets the ranges of those of the sorted @hits that are in stubs of @file. The ranges live as long
 * as @plt. Call it once for @plt. Stubs of an unknown form and damaged relocations are skipped.
 * Returns 0 or -ENOMEM.
 */
int plt_resolve(struct plt *plt, struct elf_file *file, struct range_hit *hits, size_t nr_hits);

/* Releases the PLT; an all-zero one is fine. */
void plt_deinit(struct plt *plt);

#endif
