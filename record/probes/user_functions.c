// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/user_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/probes/elf_image.h"

/* Where programs may be entered by way of a pointer (Intel CET). */
static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

static int compare_places(const void *a, const void *b)
{
	const struct user_place *x = a, *y = b;

	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	return x->semaphore < y->semaphore ? -1 : x->semaphore > y->semaphore;
}

void user_places_sort(user_place_vec *places)
{
	size_t nr = 0;

	if (places->nr)
		qsort(places->data, places->nr, sizeof(*places->data), compare_places);
	for (size_t i = 0; i < places->nr; i++)
		if (!nr || compare_places(&places->data[nr - 1], &places->data[i]))
			places->data[nr++] = places->data[i];
	places->nr = nr;
}

/* Adds the entry of a function at @off. */
static int add_entry(const struct elf_image *elf, uint64_t off, user_place_vec *found)
{
	uint8_t insn[sizeof(endbr64)];
	struct user_place place = {.off = off};

	if (elf->header.e_machine == EM_X86_64 && !elf_read_at(elf, off, insn, sizeof(insn)) &&
	    !memcmp(insn, endbr64, sizeof(insn)))
		place.off += sizeof(insn);
	return vec_push(found, place);
}

static int add_symbol(const struct elf_image *elf, const Elf64_Sym *symbol, user_place_vec *found)
{
	uint64_t off;

	if (!elf_file_offset(elf, symbol->st_value, PF_X, &off))
		return 0;
	return add_entry(elf, off, found);
}

/* Adds the functions of one table of symbols. */
static int search_table(const struct elf_image *elf, const Elf64_Shdr *table,
			const struct pattern *pattern, user_place_vec *found)
{
	_cleanup_free_ Elf64_Sym *symbols = NULL;
	_cleanup_free_ char *names = NULL;
	const Elf64_Shdr *strings;
	size_t nr = table->sh_size / sizeof(*symbols);
	int ret;

	if (table->sh_link >= elf->header.e_shnum)
		return -ENOEXEC;
	strings = &elf->sections[table->sh_link];
	ret = elf_read_section(elf, table, &symbols);
	if (!ret)
		ret = elf_read_section(elf, strings, &names);
	for (size_t i = 0; !ret && i < nr; i++) {
		const Elf64_Sym *symbol = &symbols[i];

		/* The value of an indirect function is that of the code which chooses one. */
		if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
		    symbol->st_name >= strings->sh_size ||
		    !name_matches(&pattern->name, names + symbol->st_name))
			continue;
		ret = add_symbol(elf, symbol, found);
	}
	return ret;
}

/* Is there code at the offset of the file? */
static bool is_code(const struct elf_image *elf, uint64_t off)
{
	for (size_t i = 0; i < elf->header.e_phnum; i++) {
		const Elf64_Phdr *ph = &elf->segments[i];

		if (ph->p_type == PT_LOAD && ph->p_flags & PF_X && off >= ph->p_offset &&
		    off - ph->p_offset < ph->p_filesz)
			return true;
	}
	return false;
}

static int search_functions(const struct elf_image *elf, const struct pattern *pattern,
			    user_place_vec *found)
{
	int ret = 0;

	if (pattern->has_offset)
		return is_code(elf, pattern->offset) ? add_entry(elf, pattern->offset, found)
						     : -ERANGE;
	for (size_t i = 0; elf->sections && i < elf->header.e_shnum && !ret; i++) {
		const Elf64_Shdr *section = &elf->sections[i];

		if (section->sh_type == SHT_SYMTAB || section->sh_type == SHT_DYNSYM)
			ret = search_table(elf, section, pattern, found);
	}
	return ret;
}

int user_functions_find(int fd, const struct pattern *pattern, user_place_vec *found)
{
	_cleanup_(elf_image_close) struct elf_image elf;
	int ret = elf_image_open(fd, &elf);

	if (!ret)
		ret = search_functions(&elf, pattern, found);
	if (!ret)
		user_places_sort(found);
	return ret;
}
