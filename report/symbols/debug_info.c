// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/debug_info.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/symbols/relocate.h"

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
