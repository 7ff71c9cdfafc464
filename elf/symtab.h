/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The function symbols of a binary, from .symtab and .dynsym of the binary and of its separate
 * debug file. A table serves one batch of addresses: it drops each symbol that covers none of them.
 * So its memory grows with the samples and not with the size of the files.
 */
#ifndef ELF_SYMTAB_H
#define ELF_SYMTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "common/vec.h"
#include "elf/elffile.h"
#include "elf/hit_finder.h"
#include "elf/ranges.h"

/* At most this many symbols of a table are read. The largest binaries have a few million. */
#define SYMTAB_SYMBOLS_MAX (1u << 25)

typedef VEC(struct range) range_vec;

/* An all-zero table is empty. */
struct symtab {
	range_vec ranges; /* ranges that cover an address; the files own the names */
	/* for each gap between addresses, as symtab.c explains */
	range_vec nearest, labels;
	VEC(uint64_t) ends, nexts, label_nexts;
	uint64_t nr_symbols;      /* function symbols that were read */
	bool is_cut;              /* the names take too much work */
	struct hit_finder finder; /* of the hits */
};

/*
 * Reads the function symbols of @file that may cover one of the sorted @hits. Call it for each file
 * with the same hits. The names belong to @file, which must stay open. Damaged tables and entries
 * are skipped. If symbols repeat names until that takes too much work, @file->is_too_large is set,
 * and no symbol of any file counts. Returns 0 or -ENOMEM.
 */
int symtab_add(struct symtab *symtab, struct elf_file *file, const struct range_hit *hits,
	       size_t nr_hits);

/* Sets the ranges of the hits; the ranges live as long as @symtab. Returns 0 or -ENOMEM. */
int symtab_resolve(struct symtab *symtab, struct range_hit *hits, size_t nr_hits);

/*
 * Finds the name at @off of the string table @names, without a symbol version. Returns false if
 * there is no proper name. The name belongs to the file of @names.
 */
bool symtab_name(struct elf_bytes names, uint64_t off, const char **name, uint32_t *len);

/* Releases the table; an all-zero table is fine. */
void symtab_deinit(struct symtab *symtab);

#endif
