// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/user_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/probes/debug_symbols.h"

/* Where programs may be entered by way of a pointer (Intel CET). */
static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

/* Longer instructions do not exist (Intel SDM, volume 2, 2.3.11). */
#define INSN_BYTES_MAX 15

static int compare_places(const void *a, const void *b)
{
	const struct user_place *x = a, *y = b;

	if (x->off != y->off)
		return x->off < y->off ? -1 : 1;
	return x->semaphore < y->semaphore ? -1 : x->semaphore > y->semaphore;
}

void user_functions_sort(struct user_functions *functions)
{
	user_place_vec *places = &functions->places;
	size_t nr = 0;

	if (places->nr)
		qsort(places->data, places->nr, sizeof(*places->data), compare_places);
	for (size_t i = 0; i < places->nr; i++)
		if (!nr || compare_places(&places->data[nr - 1], &places->data[i]))
			places->data[nr++] = places->data[i];
	places->nr = nr;
}

/* Is @byte a prefix that may come before those of vectors (Intel SDM, volume 2, 2.1.1)? */
static bool is_legacy_prefix(uint8_t byte)
{
	return memchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", byte, 11);
}

/*
 * The kernel executes the instruction at a uprobe elsewhere, or emulates it. It takes the opcode of
 * an instruction with the prefixes VEX, EVEX, REX2 or XOP for one without them: it takes
 * vpbroadcastb for a jump, and vxorps for a push (branch_setup_xol_ops and push_setup_xol_ops in
 * arch/x86/kernel/uprobes.c, Linux 6.18). A process then goes on with wrong registers. So no probe
 * may be there.
 */
static bool may_be_probed(const struct elf_image *elf, uint64_t off)
{
	uint8_t insn[INSN_BYTES_MAX] = {0};
	size_t at = 0;

	if (elf->header.e_machine != EM_X86_64)
		return true;
	for (size_t len = sizeof(insn); len && elf_read_at(elf, off, insn, len); len--)
		;
	while (at < sizeof(insn) - 1 && is_legacy_prefix(insn[at]))
		at++;
	switch (insn[at]) {
	case 0xc4: /* VEX */
	case 0xc5:
	case 0x62: /* EVEX */
	case 0xd5: /* REX2 */
		return false;
	case 0x8f: /* XOP, or pop */
		return !(insn[at + 1] & 0x38);
	default:
		return true;
	}
}

static bool is_endbr64(const struct elf_image *elf, uint64_t off)
{
	uint8_t insn[sizeof(endbr64)];

	return elf->header.e_machine == EM_X86_64 && !elf_read_at(elf, off, insn, sizeof(insn)) &&
	       !memcmp(insn, endbr64, sizeof(insn));
}

/* A function begins with that instruction, as the kernel takes it (arch/x86/events/core.c). */
static bool is_push_rbp(const struct elf_image *elf, uint64_t off)
{
	uint8_t insn;

	return elf->header.e_machine == EM_X86_64 && !elf_read_at(elf, off, &insn, sizeof(insn)) &&
	       insn == 0x55;
}

int user_functions_add_place(const struct elf_image *elf, const struct user_place *place,
			     struct user_functions *found)
{
	struct user_place added = *place;

	if (!may_be_probed(elf, place->off)) {
		found->nr_refused++;
		return 0;
	}
	added.is_entry |= is_push_rbp(elf, place->off);
	return vec_push(&found->places, added);
}

int user_functions_add(const struct elf_image *elf, uint64_t off, struct user_functions *found)
{
	struct user_place place = {.off = off};

	place.is_entry = is_endbr64(elf, off);
	if (place.is_entry && may_be_probed(elf, off + sizeof(endbr64)))
		place.off += sizeof(endbr64);
	return user_functions_add_place(elf, &place, found);
}

/* The functions of one file that are looked for. */
struct search {
	const struct elf_image *elf;
	const struct pattern *pattern;
	struct user_functions *found;
};

static int add_indirect(struct search *s, const char *name, uint64_t resolver)
{
	struct indirect_function new = {.resolver = resolver};

	vec_for_each(&s->found->indirect, function)
		if (function->resolver == resolver && !strcmp(function->name, name))
			return 0;
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
	uint64_t off;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF ||
	    !elf_file_offset(s->elf, symbol->st_value, PF_X, &off) ||
	    !name_matches(&s->pattern->name, name))
		return 0;
	return type == STT_FUNC ? user_functions_add(s->elf, off, s->found)
				: add_indirect(s, name, symbol->st_value);
}

/* Adds the functions of one table of symbols in @file, which has the addresses of the file. */
static int search_table(struct search *s, const struct elf_image *file, const Elf64_Shdr *table)
{
	_cleanup_free_ Elf64_Sym *symbols = NULL;
	_cleanup_free_ char *names = NULL;
	const Elf64_Shdr *strings;
	size_t nr = table->sh_size / sizeof(*symbols);
	int ret;

	if (table->sh_link >= file->header.e_shnum)
		return -ENOEXEC;
	strings = &file->sections[table->sh_link];
	ret = elf_read_section(file, table, &symbols);
	if (!ret)
		ret = elf_read_section(file, strings, &names);
	for (size_t i = 0; !ret && i < nr; i++)
		if (symbols[i].st_name < strings->sh_size)
			ret = add_symbol(s, &symbols[i], names + symbols[i].st_name);
	return ret;
}

/* Adds the functions of all tables of @file. *@has_all becomes true if one is .symtab. */
static int search_tables(struct search *s, const struct elf_image *file, bool *has_all)
{
	int ret = 0;

	for (size_t i = 0; file->sections && i < file->header.e_shnum && !ret; i++) {
		const Elf64_Shdr *section = &file->sections[i];

		*has_all |= section->sh_type == SHT_SYMTAB;
		if (section->sh_type == SHT_SYMTAB || section->sh_type == SHT_DYNSYM)
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
	ret = elf_image_open(fd, &file);
	if (!ret)
		ret = search_tables(s, &file, &has_all);
	return ret == -ENOMEM ? ret : 0;
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

	if (s->pattern->has_offset)
		return is_code(s->elf, off) ? user_functions_add(s->elf, off, s->found) : -ERANGE;
	ret = search_tables(s, s->elf, &has_all);
	return ret || has_all ? ret : search_debug_symbols(s);
}

int user_functions_find(int fd, const struct pattern *pattern, struct user_functions *found)
{
	_cleanup_(elf_image_close) struct elf_image elf;
	struct search search = {&elf, pattern, found};
	int ret = elf_image_open(fd, &elf);

	if (!ret)
		ret = search_functions(&search);
	if (!ret)
		user_functions_sort(found);
	return ret;
}

void user_functions_deinit(struct user_functions *functions)
{
	vec_for_each(&functions->indirect, function)
		free(function->name);
	vec_free(&functions->indirect);
	vec_free(&functions->places);
}
