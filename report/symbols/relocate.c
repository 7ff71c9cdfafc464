// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/relocate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_entries.h"

/* A larger section is left as it is. The modules of a distribution have 10 MB. */
#define SECTION_BYTES_MAX (UINT64_C(512) << 20)

static bool is_object_file(const struct elf_file *file)
{
	GElf_Ehdr eh;

	return file->arch && gelf_getehdr(file->elf, &eh) && eh.e_type == ET_REL;
}

/* Replaces bytes of a file, which are mapped, by a copy in memory. */
static int copy_bytes(struct section_bytes *bytes)
{
	struct section_bytes copy = {.size = bytes->size};

	if (bytes->memory)
		return 0;
	copy.memory = malloc(bytes->size);
	if (!copy.memory)
		return -ENOMEM;
	memcpy(copy.memory, bytes->data, bytes->size);
	copy.data = copy.memory;
	section_bytes_release(bytes);
	*bytes = copy;
	return 0;
}

/* The symbols that relocations refer to, and the numbers of their sections. */
struct relocation_symbols {
	struct elf_bytes symbols, indices;
};

static void apply_one(const struct elf_file *file, const struct relocation_symbols *table,
		      const GElf_Rela *rela, struct section_bytes *bytes)
{
	size_t at = GELF_R_SYM(rela->r_info);
	size_t width = elf_arch_relocation_width(file->arch, GELF_R_TYPE(rela->r_info));
	uint32_t section;
	uint64_t value;
	GElf_Sym sym;

	if (!width || rela->r_offset > bytes->size || bytes->size - rela->r_offset < width ||
	    !elf_symbol_at(file, table->symbols, at, &sym))
		return;
	value = sym.st_value + rela->r_addend;
	section = elf_symbol_section(table->indices, at, &sym);
	if (section < file->sections.nr)
		value += file->sections.data[section].vaddr;
	/* Files in another byte order are not opened. */
	memcpy((uint8_t *)bytes->memory + rela->r_offset, &value, width);
}

/* Applies the relocations in section @index if they are of section @target. */
static int apply_table(struct elf_file *file, size_t index, size_t target,
		       struct section_bytes *bytes)
{
	Elf_Scn *scn = elf_getscn(file->elf, index);
	struct relocation_symbols table;
	struct elf_bytes relocations;
	GElf_Shdr shdr;
	GElf_Rela rela;
	int ret;

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_info != target ||
	    shdr.sh_link >= file->sections.nr ||
	    file->sections.data[shdr.sh_link].type != SHT_SYMTAB)
		return 0;
	relocations = elf_file_section_bytes(file, index);
	table.symbols = elf_file_section_bytes(file, shdr.sh_link);
	table.indices = elf_file_symbol_indices(file, shdr.sh_link);
	if (!relocations.data || !table.symbols.data)
		return file->out_of_memory ? -ENOMEM : 0;
	ret = copy_bytes(bytes);
	for (size_t i = 0; !ret && elf_relocation_at(relocations, i, &rela); i++)
		apply_one(file, &table, &rela, bytes);
	return ret;
}

int section_relocate(struct elf_file *file, size_t index, struct section_bytes *bytes)
{
	int ret = 0;

	if (!bytes->data || bytes->size > SECTION_BYTES_MAX || !is_object_file(file))
		return 0;
	for (size_t i = 1; i < file->sections.nr && !ret; i++)
		if (file->sections.data[i].type == SHT_RELA)
			ret = apply_table(file, i, index, bytes);
	return ret;
}
