// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/debug_info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_entries.h"
#include "report/symbols/section_bytes.h"

/*
 * Debug information of object files, such as kernel modules. It lacks addresses and offsets until a
 * linker, or whoever reads it, puts them in.
 */

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

/*
 * Puts the values that the relocations of section @index of @file name into @bytes, its contents.
 * Takes the addresses of sections from @file->sections. Does nothing to a file that is linked.
 * Relocations that are damaged or of unknown types are passed over. Returns 0 or -ENOMEM.
 */
static int section_relocate(struct elf_file *file, size_t index, struct section_bytes *bytes)
{
	int ret = 0;

	if (!bytes->data || bytes->size > SECTION_BYTES_MAX || !is_object_file(file))
		return 0;
	for (size_t i = 1; i < file->sections.nr && !ret; i++)
		if (file->sections.data[i].type == SHT_RELA)
			ret = apply_table(file, i, index, bytes);
	return ret;
}

#define PREFIX     ".debug_"
#define OLD_PREFIX ".zdebug_"
#define SPLIT      ".dwo"

static const char *const section_names[NR_DWARF_SECTIONS] = {
	[DWARF_INFO] = "info",         [DWARF_ABBREV] = "abbrev",
	[DWARF_LINE] = "line",         [DWARF_LINE_STR] = "line_str",
	[DWARF_STR] = "str",           [DWARF_STR_OFFSETS] = "str_offsets",
	[DWARF_ADDR] = "addr",         [DWARF_RANGES] = "ranges",
	[DWARF_RNGLISTS] = "rnglists", [DWARF_CU_INDEX] = "cu_index",
};

/* Longer names are of no debug section. */
#define NAME_BYTES_MAX 32

/* Returns the section that @name is of, or -1. Sets *@is_old for GNU's older compression. */
static int section_of_name(const char *name, enum debug_info_kind kind, bool *is_old)
{
	size_t len;

	*is_old = !strncmp(name, OLD_PREFIX, strlen(OLD_PREFIX));
	if (!*is_old && strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return -1;
	name += *is_old ? strlen(OLD_PREFIX) : strlen(PREFIX);
	len = strlen(name);
	/* The index of a package is no part of a unit, so its name is that of no split section. */
	if (kind == DEBUG_INFO_SPLIT && strcmp(name, section_names[DWARF_CU_INDEX]) != 0) {
		if (len < strlen(SPLIT) || strcmp(name + len - strlen(SPLIT), SPLIT) != 0)
			return -1;
		len -= strlen(SPLIT);
	}
	for (int i = 0; i < NR_DWARF_SECTIONS; i++)
		if (strlen(section_names[i]) == len && !memcmp(section_names[i], name, len))
			return i;
	return -1;
}

/* Gets section @index of @elf if it is a debug section. */
static int get_section(struct elf_file *elf, size_t index, enum debug_info_kind kind,
		       struct debug_info *info)
{
	char name[NAME_BYTES_MAX];
	struct section_bytes *bytes;
	bool is_old;
	int section, ret;

	if (!elf_file_section_name(elf, index, name, sizeof(name)))
		return elf->out_of_memory ? -ENOMEM : 0;
	section = section_of_name(name, kind, &is_old);
	if (section < 0 || info->bytes[section].data)
		return 0;
	bytes = &info->bytes[section];
	ret = section_bytes_get(elf, index, is_old, bytes);
	if (!ret)
		ret = section_relocate(elf, index, bytes);
	info->file.sections[section] = (struct dwarf_bytes){bytes->data, bytes->size};
	return ret;
}

int debug_info_open(struct elf_file *elf, enum debug_info_kind kind, struct debug_info **info)
{
	struct debug_info *new = calloc(1, sizeof(*new));
	int ret = new ? 0 : -ENOMEM;

	*info = NULL;
	for (size_t i = 1; i < elf->sections.nr && !ret; i++)
		if (elf->sections.data[i].type != SHT_NOBITS)
			ret = get_section(elf, i, kind, new);
	if (ret || !new->bytes[DWARF_INFO].data) {
		debug_info_close(new);
		return ret;
	}
	*info = new;
	return 0;
}

int debug_info_set_alt(struct debug_info *info, struct debug_info *alt)
{
	int ret = dwarf_units_read(&alt->file);

	if (ret)
		return ret;
	info->alt = alt;
	info->file.alt = &alt->file;
	return 0;
}

size_t debug_info_memory(const struct debug_info *info)
{
	size_t memory = 0;

	for (; info; info = info->alt)
		for (size_t i = 0; i < NR_DWARF_SECTIONS; i++)
			memory += section_bytes_memory(&info->bytes[i]);
	return memory;
}

void debug_info_close(struct debug_info *info)
{
	if (!info)
		return;
	debug_info_close(info->alt);
	for (size_t i = 0; i < NR_DWARF_SECTIONS; i++)
		section_bytes_release(&info->bytes[i]);
	dwarf_units_deinit(&info->file);
	free(info->missing_alt);
	free(info);
}
