// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The layout of a module is that of layout_sections() in kernel/module/main.c of Linux: sections
 * with code come first, in the order of their headers, each at the next address of its alignment.
 * Sections for the start alone, ".init...", are elsewhere.
 */
#include "report/symbols/kernel_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/minmax.h"
#include "common/search.h"
#include "elf/elf_entries.h"
#include "elf/symtab.h"

/* The code of a kernel or of a module has fewer bytes: all modules share 1.5 GiB of addresses. */
#define CODE_BYTES_MAX (UINT64_C(2) << 30)

/* The first address of a module. Address 0 would mean code that the linker removed. */
#define MODULE_START (UINT64_C(1) << 32)

/* Sections that are not in the module's code after the start get other addresses, from here on. */
#define OTHER_START (UINT64_C(1) << 40)

#define INIT_PREFIX ".init"

/* Longer names are not those of the linker's sections for the start. */
#define NAME_BYTES_MAX 64

/*
 * Calls @visit for each symbol of .symtab with the table of names, until it returns true. A file
 * can have millions of symbols with long names, so @visit looks at the name last.
 */
static bool visit_symbols(struct elf_file *file,
			  bool (*visit)(void *ctx, const GElf_Sym *sym, struct elf_bytes names),
			  void *ctx)
{
	for (size_t i = 1; i < file->sections.nr; i++) {
		const struct elf_section *section = &file->sections.data[i];
		struct elf_bytes symbols, names;
		GElf_Sym sym;

		if (section->type != SHT_SYMTAB)
			continue;
		symbols = elf_file_section_bytes(file, i);
		names = elf_file_section_bytes(file, section->link);
		for (size_t s = 0;
		     names.data && s < SYMTAB_SYMBOLS_MAX && elf_symbol_at(file, symbols, s, &sym);
		     s++)
			if (visit(ctx, &sym, names))
				return true;
		return false;
	}
	return false;
}

/* Has @sym the name of @len bytes at @want? */
static bool is_called(const GElf_Sym *sym, struct elf_bytes names, const char *want, size_t len)
{
	return sym->st_name < names.size && len < names.size - sym->st_name &&
	       !memcmp(names.data + sym->st_name, want, len) && !names.data[sym->st_name + len];
}

static bool is_stext(void *ctx, const GElf_Sym *sym, struct elf_bytes names)
{
	static const char stext[] = "_stext";
	uint64_t *start = ctx;

	if (!is_called(sym, names, stext, strlen(stext)))
		return false;
	*start = sym->st_value;
	return true;
}

/* Returns the bytes of code from @start on. */
static uint64_t code_size(const struct elf_file *file, uint64_t start)
{
	uint64_t size = 0;

	vec_for_each(&file->sections, s)
		if (s->is_exec && s->vaddr >= start && s->size <= CODE_BYTES_MAX &&
		    s->vaddr - start <= CODE_BYTES_MAX)
			size = max_u64(size, s->vaddr - start + s->size);
	return size;
}

static void find_image(struct elf_file *file, struct kernel_layout *layout)
{
	uint64_t start;

	if (visit_symbols(file, is_stext, &start))
		*layout = (struct kernel_layout){start, code_size(file, start)};
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
	return align > 1 ? (value + align - 1) / align * align : value;
}

/* Gives section @index of a module its address. Returns 0, -ENOEXEC or -ENOMEM. */
static int place_section(struct elf_file *file, size_t index, uint64_t *code, uint64_t *other)
{
	Elf_Scn *scn = elf_getscn(file->elf, index);
	char name[NAME_BYTES_MAX];
	GElf_Shdr shdr;
	uint64_t *next;
	bool is_code;

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_size > CODE_BYTES_MAX ||
	    shdr.sh_addralign > CODE_BYTES_MAX)
		return -ENOEXEC;
	if (!(shdr.sh_flags & SHF_ALLOC))
		return 0;
	is_code = shdr.sh_flags & SHF_EXECINSTR;
	if (is_code && elf_file_section_name(file, index, name, sizeof(name)))
		is_code = strncmp(name, INIT_PREFIX, strlen(INIT_PREFIX)) != 0;
	if (file->out_of_memory)
		return -ENOMEM;
	next = is_code ? code : other;
	file->sections.data[index].vaddr = align_up(*next, shdr.sh_addralign);
	*next = file->sections.data[index].vaddr + shdr.sh_size;
	return *code - MODULE_START > CODE_BYTES_MAX ? -ENOEXEC : 0;
}

/* The symbols of a module in the recording, and those that the file has at their addresses. */
struct symbol_check {
	const struct elf_file *file;
	const struct model *model;
	const struct prof_symbol *symbols; /* by offset */
	size_t nr;
	bool *is_there; /* [nr] */
};

static bool check_symbol(void *ctx, const GElf_Sym *sym, struct elf_bytes names)
{
	struct symbol_check *check = ctx;
	const struct elf_file *file = check->file;
	uint64_t off;

	if (sym->st_shndx >= file->sections.nr || !file->sections.data[sym->st_shndx].is_exec)
		return false;
	off = file->sections.data[sym->st_shndx].vaddr + sym->st_value - MODULE_START;
	for (size_t i = search_first(check->nr, at, check->symbols[at].offset >= off);
	     i < check->nr && check->symbols[i].offset == off; i++) {
		const struct string *want =
			&check->model->strings.items.data[check->symbols[i].name];

		check->is_there[i] |= is_called(sym, names, want->s, want->len);
	}
	return false;
}

/* Returns 1 if all symbols of the recording are at their places, 0 if not, or -ENOMEM. */
static int has_all_symbols(struct elf_file *file, const struct model *model, uint32_t object)
{
	const struct model_object *o = &model->objects.data[object];
	_cleanup_free_ bool *is_there = calloc(o->nr_symbols + 1, sizeof(*is_there));
	struct symbol_check check = {
		.file = file,
		.model = model,
		.symbols = model->symbols.data + o->first_symbol,
		.nr = o->nr_symbols,
		.is_there = is_there,
	};

	if (!is_there)
		return -ENOMEM;
	visit_symbols(file, check_symbol, &check);
	for (size_t i = 0; i < check.nr; i++)
		if (!is_there[i])
			return file->out_of_memory ? -ENOMEM : 0;
	return check.nr > 0;
}

static int find_module(struct elf_file *file, const struct model *model, uint32_t object,
		       struct kernel_layout *layout)
{
	uint64_t code = MODULE_START, other = OTHER_START;
	int ret = file->arch ? 0 : -ENOEXEC;

	for (size_t i = 1; i < file->sections.nr && !ret; i++)
		ret = place_section(file, i, &code, &other);
	if (!ret)
		ret = has_all_symbols(file, model, object);
	if (ret == 1)
		*layout = (struct kernel_layout){MODULE_START, code - MODULE_START};
	return ret == -ENOMEM ? ret : 0;
}

static int find_in_file(struct elf_file *file, const struct model *model, uint32_t object,
			struct kernel_layout *layout)
{
	if (model->objects.data[object].key.kind == PROF_OBJECT_MODULE)
		return find_module(file, model, object, layout);
	find_image(file, layout);
	return file->out_of_memory ? -ENOMEM : 0;
}

int kernel_layout_find(struct elf_pair *elf, const struct model *model, uint32_t object,
		       struct kernel_layout *layout)
{
	int ret = 0;

	*layout = (struct kernel_layout){0};
	if (elf->has_binary)
		ret = find_in_file(&elf->binary, model, object, layout);
	/*
	 * Debug information can be of either file, so a module's debug file needs addresses, too.
	 */
	if (!ret && elf->has_debug)
		ret = find_in_file(&elf->debug, model, object, layout);
	return ret;
}
