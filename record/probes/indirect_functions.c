// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/indirect_functions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "elf/elf_sections.h"
#include "elf/arch.h"
#include "record/cfi/cfi_elf.h"
#include "record/probes/mapped_code.h"
#include "record/looks/resident_memory.h"

/* Processes of the host that are asked at most, each about all of its files. */
#define WITNESSES_MAX 64

/* The address, as linked, of code that a process chose. */
struct choice {
	uint64_t vaddr;
	struct indirect_function *function;
};

struct resolution {
	const struct library *library;
	struct elf_image elf;        /* of the library */
	const struct elf_arch *arch; /* of it, and so of its processes; NULL: unknown */
	indirect_vec *functions;
	VEC(struct choice) choices;
};

/* A process that has the library. */
struct witness {
	uint32_t pid;
	struct resident_memory memory;
	mapped_code_vec code;
	uint64_t bias;  /* of the library */
	bool *has_told; /* of each function */
};

/* The difference between addresses in memory and in the file. Returns false if it is not clear. */
static bool find_bias(const struct elf_image *elf, const struct mapped_code *code, uint64_t *bias)
{
	for (size_t i = 0; i < elf->header.e_phnum; i++) {
		const Elf64_Phdr *ph = &elf->segments[i];
		uint64_t page = ph->p_offset & ~(uint64_t)4095;

		/* Segments of lld begin within a page, and mappings before them. */
		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X) || code->pgoff < page ||
		    code->pgoff - page >= ph->p_filesz + (ph->p_offset - page))
			continue;
		*bias = code->start - (ph->p_vaddr + code->pgoff - ph->p_offset);
		return true;
	}
	return false;
}

/* Notes the address in the slot at @addr, if it is that of code of the library. */
static int read_slot(struct resolution *r, struct witness *w, uint64_t addr, size_t number)
{
	struct indirect_function *function = &r->functions->data[number];
	struct choice choice = {.function = function};
	uint64_t value, off;

	if (resident_memory_read(&w->memory, addr, &value, sizeof(value)) != sizeof(value))
		return 0;
	choice.vaddr = value - w->bias;
	/* A slot that was not used yet leads to the loader. */
	if (choice.vaddr == function->resolver ||
	    !elf_image_find_offset(&r->elf, choice.vaddr, PF_X, &off))
		return 0;
	w->has_told[number] = true;
	return vec_push(&r->choices, choice);
}

/* Reads a slot of the library, which names the code that chooses. */
static int read_own_slot(struct resolution *r, struct witness *w, const Elf64_Rela *rela)
{
	int ret = 0;

	if (!r->arch || ELF64_R_TYPE(rela->r_info) != r->arch->chosen_slot)
		return 0;
	for (size_t i = 0; i < r->functions->nr && !ret; i++)
		if ((uint64_t)rela->r_addend == r->functions->data[i].resolver)
			ret = read_slot(r, w, w->bias + rela->r_offset, i);
	return ret;
}

/* Symbols that the slots of a file refer to. */
struct slot_symbols {
	const Elf64_Sym *symbols;
	size_t nr;
	const char *names;
	size_t names_size;
	uint64_t bias; /* of the file */
};

/* Reads a slot of another file, which names the function. */
static int read_caller_slot(struct resolution *r, struct witness *w, const struct slot_symbols *s,
			    const Elf64_Rela *rela)
{
	uint32_t type = ELF64_R_TYPE(rela->r_info), at = ELF64_R_SYM(rela->r_info);
	int ret = 0;

	if (!r->arch || (type != r->arch->data_slot && type != r->arch->jump_slot) || at >= s->nr ||
	    s->symbols[at].st_name >= s->names_size)
		return 0;
	for (size_t i = 0; i < r->functions->nr && !ret; i++)
		if (!w->has_told[i] &&
		    !strcmp(s->names + s->symbols[at].st_name, r->functions->data[i].name))
			ret = read_slot(r, w, s->bias + rela->r_offset, i);
	return ret;
}

/* Reads the slots of one table of @file, which is the library if @bias is NULL. */
static int read_table(struct resolution *r, struct witness *w, const struct elf_image *file,
		      const Elf64_Shdr *table, const uint64_t *bias)
{
	_cleanup_free_ Elf64_Rela *relas = NULL;
	_cleanup_free_ Elf64_Sym *symbols = NULL;
	_cleanup_free_ char *names = NULL;
	struct slot_symbols s = {.bias = bias ? *bias : 0};
	size_t nr = table->sh_size / sizeof(*relas);
	int ret = elf_image_read_section(file, table, &relas);

	if (!ret && bias && table->sh_link < file->nr_sections) {
		const Elf64_Shdr *section = &file->sections[table->sh_link];

		s.nr = section->sh_size / sizeof(*symbols);
		ret = elf_image_read_section(file, section, &symbols);
		if (!ret && section->sh_link < file->nr_sections) {
			s.names_size = file->sections[section->sh_link].sh_size;
			ret = elf_image_read_section(file, &file->sections[section->sh_link],
						     &names);
		}
	}
	s.symbols = symbols;
	s.names = names;
	for (size_t i = 0; i < nr && !ret; i++)
		ret = bias ? read_caller_slot(r, w, &s, &relas[i]) : read_own_slot(r, w, &relas[i]);
	return ret;
}

/* Reads all slots of @file. A damaged table tells nothing. Returns 0 or -ENOMEM. */
static int read_slots(struct resolution *r, struct witness *w, const struct elf_image *file,
		      const uint64_t *bias)
{
	for (size_t i = 0; i < file->nr_sections; i++)
		if (file->sections[i].sh_type == SHT_RELA &&
		    read_table(r, w, file, &file->sections[i], bias) == -ENOMEM)
			return -ENOMEM;
	return 0;
}

static bool have_all_told(const struct resolution *r, const struct witness *w)
{
	for (size_t i = 0; i < r->functions->nr; i++)
		if (!w->has_told[i])
			return false;
	return true;
}

/* Reads the slots of a file that may call functions of the library. */
static int ask_caller(struct resolution *r, struct witness *w, const struct mapped_code *code)
{
	_cleanup_close_ int fd = mapped_code_open(w->pid, code);
	_cleanup_(elf_image_close) struct elf_image file = {0};
	uint64_t bias;
	int ret;

	if (fd < 0)
		return 0;
	ret = elf_sections_open(fd, &file);
	if (!ret && find_bias(&file, code, &bias))
		ret = read_slots(r, w, &file, &bias);
	return ret == -ENOMEM ? ret : 0;
}

/* Is @code a mapping of the library? */
static bool is_library(const struct library *library, uint32_t pid, const struct mapped_code *code)
{
	_cleanup_free_ char *wanted = mapped_code_name(library->path);
	_cleanup_free_ char *name = mapped_code_name(code->path);
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (!wanted || !name)
		return false;
	/* A path can be a symbolic link, as of libc.so.6 before glibc 2.34. */
	if (strncmp(name, wanted, strcspn(wanted, ".-")) != 0)
		return false;
	fd = mapped_code_open(pid, code);
	return fd >= 0 && !fstat(fd, &st) && st.st_dev == library->dev &&
	       st.st_ino == library->inode;
}

static bool find_library(const struct resolution *r, struct witness *w)
{
	vec_for_each(&w->code, code)
		if (is_library(r->library, w->pid, code))
			return find_bias(&r->elf, code, &w->bias);
	return false;
}

static int ask_witness(struct resolution *r, struct witness *w)
{
	int ret = read_slots(r, w, &r->elf, NULL);

	for (size_t i = 0; i < w->code.nr && !ret && !have_all_told(r, w); i++)
		ret = ask_caller(r, w, &w->code.data[i]);
	return ret;
}

/* Asks one process. *@nr is counted up if it has the library. Returns 0 or -ENOMEM. */
static int ask_process(struct resolution *r, uint32_t pid, size_t *nr)
{
	_cleanup_free_ bool *has_told = calloc(r->functions->nr, sizeof(*has_told));
	struct witness w = {.pid = pid, .memory = RESIDENT_MEMORY_INIT(pid), .has_told = has_told};
	int ret = has_told ? mapped_code_read(pid, &w.code) : -ENOMEM;

	if (!ret && find_library(r, &w)) {
		++*nr;
		ret = ask_witness(r, &w);
	}
	resident_memory_deinit(&w.memory);
	mapped_code_free(&w.code);
	return ret == -ENOMEM ? ret : 0;
}

/* Settles those that @section knows. */
static int settle_by(struct resolution *r, const struct eh_section *section,
		     struct user_functions *found)
{
	struct cfi_fde fde;
	struct cfi cfi;
	uint64_t off;
	int ret;

	cfi_init(&cfi, section);
	while ((ret = cfi_next(&cfi, &fde)) > 0)
		vec_for_each(&r->choices, choice) {
			if (choice->vaddr != fde.start || ret < 0 ||
			    !elf_image_find_offset(&r->elf, choice->vaddr, PF_X, &off))
				continue;
			choice->function->is_settled = true;
			if (user_functions_add(&r->elf, off, true, found))
				ret = -ENOMEM;
		}
	cfi_deinit(&cfi);
	return ret;
}

/*
 * Settles the functions whose choices are functions of the library. A process may write anything
 * into its slots, and a probe in the middle of an instruction would break all processes that have
 * the library. So only the beginning of a function is a choice, as the library's own tables for
 * unwinding know it.
 */
static int settle(struct resolution *r, struct user_functions *found)
{
	struct cfi_elf tables;
	int ret = cfi_elf_read(r->library->fd, &tables);

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	for (int i = 0; ret >= 0 && i < CFI_NR_SECTIONS; i++)
		ret = settle_by(r, &tables.sections[i], found);
	cfi_elf_deinit(&tables);
	vec_clear(&r->choices);
	return ret == -ENOMEM ? ret : 0;
}

static bool are_all_settled(const indirect_vec *functions)
{
	vec_for_each(functions, function)
		if (!function->is_settled)
			return false;
	return true;
}

static int ask_given(struct resolution *r, const u32_vec *pids, struct user_functions *found)
{
	size_t nr = 0;
	int ret = 0;

	for (size_t i = 0; i < pids->nr && !ret; i++)
		ret = ask_process(r, pids->data[i], &nr);
	return ret ? ret : settle(r, found);
}

static int ask_host(struct resolution *r, struct user_functions *found)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	size_t nr = 0;
	int ret = 0;

	while (proc && !ret && nr < WITNESSES_MAX && !are_all_settled(r->functions) &&
	       (entry = readdir(proc))) {
		uint64_t pid;

		if (parse_u64(entry->d_name, 1, INT32_MAX, &pid))
			continue;
		ret = ask_process(r, pid, &nr);
		if (!ret && r->choices.nr)
			ret = settle(r, found);
	}
	if (proc)
		closedir(proc);
	return ret;
}

int indirect_functions_resolve(const struct library *library, const u32_vec *pids,
			       struct user_functions *found)
{
	struct resolution r = {.library = library, .functions = &found->indirect};
	int ret = elf_sections_open(library->fd, &r.elf);

	if (!ret)
		r.arch = elf_arch_find(r.elf.header.e_machine);

	if (!ret)
		ret = pids->nr ? ask_given(&r, pids, found) : ask_host(&r, found);
	if (!ret)
		ret = user_places_settle(&r.elf, &found->places);
	elf_image_close(&r.elf);
	vec_free(&r.choices);
	return ret;
}
