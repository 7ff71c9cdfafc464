/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds single dynamic symbols of an ELF file by the file's own hash table, with a few reads. A
 * stripped program has them, too. Most files lack the names that are asked for, and a file's filter
 * says so at the first read. The file may be damaged or made to deceive: every offset is checked,
 * and every loop is bounded. Runs in the table child.
 */
#ifndef RECORD_LANGUAGES_FILES_DYNAMIC_SYMBOLS_H
#define RECORD_LANGUAGES_FILES_DYNAMIC_SYMBOLS_H

#include <elf.h>
#include <stdint.h>

#include "elf/elf_image.h"

struct dynamic_symbols {
	struct elf_image elf;
	uint64_t symtab, strtab, strsz, hash; /* addresses and a size, as linked */
	uint32_t nr_buckets, first_symbol, bloom_words, bloom_shift;
};

/*
 * Begins to read the file at @fd, a 64-bit ELF file of this host. Returns 0, -ENOEXEC (no such
 * file), -ENODATA (it has no such hash table), or -ENOMEM. The deinit is due in any case.
 */
int dynamic_symbols_init(struct dynamic_symbols *symbols, int fd);

/* Finds a symbol that the file defines. Returns 0 or -ENOENT. */
int dynamic_symbols_find(const struct dynamic_symbols *symbols, const char *name, Elf64_Sym *found);

/*
 * Reads @len bytes that are linked at @vaddr, as they are in the file. Returns 0 or -ENOENT when
 * they are not all there.
 */
int dynamic_symbols_read(const struct dynamic_symbols *symbols, uint64_t vaddr, void *buf,
			 size_t len);

/* The first executable segment, or NULL. */
const Elf64_Phdr *dynamic_symbols_code(const struct dynamic_symbols *symbols);

void dynamic_symbols_deinit(struct dynamic_symbols *symbols);

#endif
