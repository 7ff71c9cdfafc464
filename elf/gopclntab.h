/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions in Go, from .gopclntab (elf/go_table.h).
 */
#ifndef ELF_GOPCLNTAB_H
#define ELF_GOPCLNTAB_H

#include <stddef.h>

#include "common/vec.h"
#include "elf/elffile.h"
#include "elf/ranges.h"

/* An all-zero table is empty. */
struct gopclntab {
	VEC(struct range) ranges;
};

/*
 * Sets the ranges of those of the sorted @hits that are in functions of Go. The names belong to
 * @file. The ranges live as long as @table. Call it once for @table. Understands the tables of Go
 * 1.16, 1.18 and 1.20 and later; others and damaged ones have no functions. Returns 0 or -ENOMEM.
 */
int gopclntab_resolve(struct gopclntab *table, struct elf_file *file, struct range_hit *hits,
		      size_t nr_hits);

/* Releases the table; an all-zero one is fine. */
void gopclntab_deinit(struct gopclntab *table);

#endif
