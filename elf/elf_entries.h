/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entries of symbol tables and of relocations. gelf reads them only from sections that libelf has
 * in memory, and calls a function for each.
 */
#ifndef ELF_ELF_ENTRIES_H
#define ELF_ELF_ENTRIES_H

#include <string.h>

#include "elf/elffile.h"

/* Reads symbol @i of @table, a section of @file. Returns false after the last one. */
static inline bool elf_symbol_at(const struct elf_file *file, struct elf_bytes table, size_t i,
				 GElf_Sym *symbol)
{
	Elf32_Sym small;

	if (i >= table.size / (file->is_64 ? sizeof(*symbol) : sizeof(small)))
		return false;
	if (file->is_64) {
		memcpy(symbol, table.data + i * sizeof(*symbol), sizeof(*symbol));
		return true;
	}
	memcpy(&small, table.data + i * sizeof(small), sizeof(small));
	*symbol = (GElf_Sym){
		.st_name = small.st_name,
		.st_info = small.st_info,
		.st_other = small.st_other,
		.st_shndx = small.st_shndx,
		.st_value = small.st_value,
		.st_size = small.st_size,
	};
	return true;
}

/*
 * Returns the section of symbol @i, which is @symbol; SHN_UNDEF if it has none. A number that is
 * too large for the symbol is in @indices (elf_file_symbol_indices).
 */
static inline uint32_t elf_symbol_section(struct elf_bytes indices, size_t i,
					  const GElf_Sym *symbol)
{
	uint32_t section = symbol->st_shndx;

	if (section < SHN_LORESERVE)
		return section;
	if (section != SHN_XINDEX || i >= indices.size / sizeof(section))
		return SHN_UNDEF;
	memcpy(&section, indices.data + i * sizeof(section), sizeof(section));
	return section;
}

/* Reads relocation @i of @table, a section of a 64-bit file. Returns false after the last one. */
static inline bool elf_relocation_at(struct elf_bytes table, size_t i, GElf_Rela *relocation)
{
	if (i >= table.size / sizeof(*relocation))
		return false;
	memcpy(relocation, table.data + i * sizeof(*relocation), sizeof(*relocation));
	return true;
}

#endif
