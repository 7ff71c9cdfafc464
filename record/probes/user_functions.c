// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/user_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "elf/elf_sections.h"
#include "elf/arch.h"
#include "record/probes/debug_symbols.h"

/*
 * Bounds for one file. Browsers have half a million functions; a libc has a hundred indirect ones.
 */
#define PLACES_MAX   (1u << 21)
#define INDIRECT_MAX 4096u

/* Longest name that is compared, and bytes of names for each byte of their tables. */
#define NAME_MAX_BYTES      65535u
#define NAME_BYTES_PER_BYTE 16

/* May a probe be at the instruction at @off? */
static bool may_be_probed(const struct elf_image *elf, uint64_t off)
{
	const struct elf_arch *arch = elf_arch_find(elf->header.e_machine);
	uint8_t insn[ELF_INSN_BYTES_MAX] = {0};

	if (!arch || !arch->may_be_probed)
		return true;
	for (size_t len = sizeof(insn); len && elf_image_read(elf, off, insn, len); len--)
		;
	return arch->may_be_probed(insn);
}

/* Bytes of the mark of an entry at @off. */
static size_t entry_mark_bytes(const struct elf_image *elf, uint64_t off)
{
	const struct elf_arch *arch = elf_arch_find(elf->header.e_machine);
	uint8_t insn[ELF_ENTRY_MARK_BYTES];

	return arch && !elf_image_read(elf, off, insn, sizeof(insn)) &&
			       !memcmp(insn, arch->entry_mark, sizeof(insn))
		       ? sizeof(insn)
		       : 0;
}

int user_functions_add_place(const struct elf_image *elf, const struct user_place *place,
			     struct user_functions *found)
{
	if (!may_be_probed(elf, place->off)) {
		found->nr_refused++;
		return 0;
	}
	if (found->places.nr >= PLACES_MAX)
		return -E2BIG;
	return vec_push(&found->places, *place);
}

int user_functions_add(const struct elf_image *elf, uint64_t off, bool is_entry,
		       struct user_functions *found)
{
	struct user_place place = {.off = off, .is_entry = is_entry};
	size_t mark = entry_mark_bytes(elf, off);

	if (mark && may_be_probed(elf, off + mark))
		place.off += mark;
	return user_functions_add_place(elf, &place, found);
}

/* The functions of one file that are looked for. */
struct search {
	const struct elf_image *elf;
	const struct pattern *pattern;
	struct user_functions *found;
	name_vec *names; /* not NULL: of the functions, in place of @found */
	bool is_entry;   /* a function begins at the offset that the pattern is */
};

static int add_indirect(struct search *s, const char *name, uint64_t resolver)
{
	struct indirect_function new = {.resolver = resolver};

	vec_for_each(&s->found->indirect, function)
		if (function->resolver == resolver && !strcmp(function->name, name))
			return 0;
	if (s->found->indirect.nr >= INDIRECT_MAX)
		return -E2BIG;
	new.name = strdup(name);
	if (!new.name)
		return -ENOMEM;
	if (vec_push(&s->found->indirect, new)) {
		free(new.name);
		return -ENOMEM;
	}
	return 0;
}

static int add_symbol(struct search *s, const Elf64_Sym *symbol, const char *name)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);
	bool is_entry = !strstr(name, ".cold"); /* the other part of a function jumps there */
	uint64_t off;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF ||
	    !elf_image_find_offset(s->elf, symbol->st_value, PF_X, &off))
		return 0;
	if (s->pattern->has_offset) {
		s->is_entry |= is_entry && off == s->pattern->offset;
		return 0;
	}
	if (!name_matches(&s->pattern->name, name))
		return 0;
	if (s->names)
		return s->names->nr < PLACES_MAX ? name_vec_add(s->names, name) : -E2BIG;
	return type == STT_FUNC ? user_functions_add(s->elf, off, is_entry, s->found)
				: add_indirect(s, name, symbol->st_value);
}

/* Adds the functions of one table of symbols in @file, which has the addresses of the file. */
static int search_table(struct search *s, const struct elf_image *file, const Elf64_Shdr *table)
{
	_cleanup_free_ Elf64_Sym *symbols = NULL;
	_cleanup_free_ char *names = NULL;
	const Elf64_Shdr *strings;
	size_t nr = table->sh_size / sizeof(*symbols);
	uint64_t left;
	int ret;

	if (table->sh_link >= file->nr_sections)
		return -ENOEXEC;
	strings = &file->sections[table->sh_link];
	ret = elf_image_read_section(file, table, &symbols);
	if (!ret)
		ret = elf_image_read_section(file, strings, &names);
	left = NAME_BYTES_PER_BYTE * (table->sh_size + strings->sh_size);
	for (size_t i = 0; !ret && i < nr; i++) {
		const char *name = names + symbols[i].st_name;
		size_t len;

		if (symbols[i].st_name >= strings->sh_size)
			continue;
		len = strnlen(name, NAME_MAX_BYTES); /* the names end with a NUL */
		if (len >= left)
			return -E2BIG;
		left -= len;
		if (len < NAME_MAX_BYTES)
			ret = add_symbol(s, &symbols[i], name);
	}
	return ret;
}

/*
 * Adds the functions of .symtab and .dynsym of @file. A file has at most one of each (ELF gABI,
 * Sections), and more would be read again and again. *@has_all becomes true if one is .symtab.
 */
static int search_tables(struct search *s, const struct elf_image *file, bool *has_all)
{
	bool has_dynamic = false;
	int ret = 0;

	for (size_t i = 0; i < file->nr_sections && !ret; i++) {
		const Elf64_Shdr *section = &file->sections[i];
		bool *has_table = section->sh_type == SHT_SYMTAB   ? has_all
				  : section->sh_type == SHT_DYNSYM ? &has_dynamic
								   : NULL;

		if (!has_table || *has_table)
			continue;
		*has_table = true;
		ret = search_table(s, file, section);
	}
	return ret;
}

/* Adds functions that only the debug symbols name. Damaged ones are as good as none. */
static int search_debug_symbols(struct search *s)
{
	_cleanup_close_ int fd = debug_symbols_open(s->elf);
	_cleanup_(elf_image_close) struct elf_image file = {0};
	bool has_all = false;
	int ret;

	if (fd < 0)
		return fd == -ENOMEM ? fd : 0;
	ret = elf_sections_open(fd, &file);
	if (!ret)
		ret = search_tables(s, &file, &has_all);
	return ret == -ENOMEM || ret == -E2BIG ? ret : 0;
}

/* Is there code at the offset of the file? */
static bool is_code(const struct elf_image *elf, uint64_t off)
{
	for (size_t i = 0; i < elf->header.e_phnum; i++) {
		const Elf64_Phdr *ph = &elf->segments[i];

		if (ph->p_type == PT_LOAD && ph->p_flags & PF_X && off >= ph->p_offset &&
		    off - ph->p_offset < ph->p_filesz)
			return off < elf->size;
	}
	return false;
}

static int search_functions(struct search *s)
{
	uint64_t off = s->pattern->offset;
	bool has_all = false;
	int ret;

	if (s->pattern->has_offset && !is_code(s->elf, off))
		return -ERANGE;
	ret = search_tables(s, s->elf, &has_all);
	if (!ret && !has_all)
		ret = search_debug_symbols(s);
	if (!ret && s->pattern->has_offset)
		ret = user_functions_add(s->elf, off, s->is_entry, s->found);
	return ret;
}

int user_functions_find(int fd, const struct pattern *pattern, struct user_functions *found)
{
	_cleanup_(elf_image_close) struct elf_image elf;
	struct search search = {.elf = &elf, .pattern = pattern, .found = found};
	int ret = elf_sections_open(fd, &elf);

	if (!ret)
		ret = search_functions(&search);
	return ret ? ret : user_places_settle(&elf, &found->places);
}

int user_functions_names(int fd, const struct pattern *pattern, name_vec *names)
{
	_cleanup_(elf_image_close) struct elf_image elf;
	struct search search = {.elf = &elf, .pattern = pattern, .names = names};
	int ret = elf_sections_open(fd, &elf);

	return ret ? ret : search_functions(&search);
}

void user_functions_deinit(struct user_functions *functions)
{
	vec_for_each(&functions->indirect, function)
		free(function->name);
	vec_free(&functions->indirect);
	vec_free(&functions->places);
}
