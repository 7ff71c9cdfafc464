/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The function symbols of a binary: from the binary itself, the separate file with its debug
 * information, or both, from .symtab and .dynsym. Made for one batch of addresses at a time, so
 * that memory goes with what was sampled and not with the size of the tables: a symbol that covers
 * none of the addresses is passed over while the table is read.
 */
#ifndef REPORT_SYMBOLS_SYMTAB_H
#define REPORT_SYMBOLS_SYMTAB_H

#include <stdint.h>

#include "common/vec.h"
#include "report/symbols/elffile.h"
#include "report/symbols/ranges.h"

/* All zero is an empty table. */
struct symtab {
	VEC(struct range) ranges;  /* that cover an address, names in the files' memory */
	VEC(struct range) nearest; /* for each address: see symtab.c */
	uint64_t nr_symbols;       /* function symbols seen */
};

/*
 * Reads the function symbols of @file that may cover one of the sorted @hits. The names belong to
 * @file, which must stay open. Call it for each file with the same hits. Damaged tables and
 * entries are passed over. Returns 0 or -ENOMEM.
 */
int symtab_add(struct symtab *symtab, struct elf_file *file, const struct range_hit *hits,
	       size_t nr_hits);

/* Answers the hits; the ranges live as long as @symtab. Returns 0 or -ENOMEM. */
int symtab_resolve(struct symtab *symtab, struct range_hit *hits, size_t nr_hits);

/* Releases the table; all zero is fine. */
void symtab_deinit(struct symtab *symtab);

#endif
