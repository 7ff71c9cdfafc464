// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/hit_addresses.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/minmax.h"
#include "common/search.h"
#include "elf/elf_entries.h"
#include "elf/elffile.h"
#include "elf/symtab.h"
#include "report/model/model.h"

/*
 * The place of the kernel's code in its files. Offsets in a recording count from _stext, and those
 * of a module from its load address. So it does not matter where the kernel of the host was
 * (KASLR).
 *
 * vmlinux has the symbol _stext. The file of a module has sections without addresses. The kernel
 * lays them out when it loads the module, in a way that follows from the headers alone. The symbols
 * in the recording tell whether this was so.
 */

/* Offset @off of the object, below @size, is address @start + @off in the files. All zero: none. */
struct kernel_layout {
	uint64_t start, size;
};

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

/*
 * Finds the layout of @object, the kernel or a module, in the files of @elf. Gives the sections of
 * a module their addresses. Leaves @layout all zero if that is not certain. Returns 0 or -ENOMEM.
 */
static int kernel_layout_find(struct elf_pair *elf, const struct model *model, uint32_t object,
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

/*
 * Turns file offsets into addresses if profrep has only the debug file of a binary. The mapping of
 * a process shows the place of the binary's segments in the file. profrep uses it for the frames of
 * that process alone. If processes that share a frame contradict each other, the frame stays
 * unknown.
 */

/* The distance from the file offset of a frame to its linked address. */
struct debug_distance {
	uint32_t frame;    /* in the model */
	uint64_t distance; /* address - offset, modulo 2^64 */
	bool is_known;
	bool is_contradicted;
};

static struct debug_distance *find_frame(struct debug_distance *distances, size_t nr,
					 uint32_t frame)
{
	size_t at = search_first(nr, i, distances[i].frame >= frame);

	return at < nr && distances[at].frame == frame ? &distances[at] : NULL;
}

/* Takes the distance that the mapping of @process gives for the frame. */
static void note_distance(const struct model *model, const struct elf_file *debug, uint32_t process,
			  struct debug_distance *d)
{
	const struct model_frame *frame = &model->frames.data[d->frame];
	const struct model_mapping *m =
		model_find_mapping(model, process, frame->object, frame->offset);
	uint64_t vaddr, distance;

	if (d->is_contradicted)
		return;
	if (!m || !elf_file_vaddr_mapped(debug, frame->offset, m->pgoff, m->size, &vaddr)) {
		d->is_contradicted = true;
		return;
	}
	distance = vaddr - frame->offset;
	d->is_contradicted = d->is_known && d->distance != distance;
	d->is_known = true;
	d->distance = distance;
}

/*
 * Finds the distances of @nr frames of @object, sorted by frame, by the segments of @debug. The
 * work is charged to @budget (NULL: none). After @budget is spent, the frames stay unknown.
 */
static void debug_distances_find(const struct model *model, uint32_t object,
				 const struct elf_file *debug, struct file_budget *budget,
				 struct debug_distance *distances, size_t nr)
{
	vec_for_each(&model->rows, row) {
		const struct model_stack *stack = &model->stacks.data[row->user_stack];
		const uint32_t *frames = model->stack_frames.data + stack->first_frame;

		if (!file_budget_charge(budget, stack->nr_frames * sizeof(*frames)))
			break;
		for (uint32_t i = 0; i < stack->nr_frames; i++) {
			struct debug_distance *d = NULL;

			if (model->frames.data[frames[i]].object == object)
				d = find_frame(distances, nr, frames[i]);
			if (d)
				note_distance(model, debug, row->process, d);
		}
	}
	for (size_t i = 0; i < nr; i++)
		distances[i].is_known &=
			!distances[i].is_contradicted && !(budget && budget->is_spent);
}

/* By the program headers of @file. */
static void hits_to_vaddrs(const struct question *questions, const struct elf_file *file,
			   range_hit_vec *hits)
{
	size_t kept = 0;

	vec_for_each(hits, hit)
		if (elf_file_vaddr(file, questions[hit->tag].off, &hit->addr))
			hits->data[kept++] = *hit;
	hits->nr = kept;
}

/*
 * Lists the frames of the hits, which are sorted by slot. A frame with both places is listed once.
 * Returns the number of frames.
 */
static size_t list_frames(const struct question *questions, const range_hit_vec *hits,
			  struct debug_distance *distances)
{
	size_t nr = 0;

	vec_for_each(hits, hit) {
		uint32_t frame = questions[hit->tag].slot / NR_FRAME_PLACES;

		if (!nr || distances[nr - 1].frame != frame)
			distances[nr++] = (struct debug_distance){.frame = frame};
	}
	return nr;
}

/* By the mappings of the processes: the offsets of segments in @debug mean nothing. */
static int hits_to_vaddrs_mapped(const struct model *model, uint32_t object,
				 const struct question *questions, const struct elf_file *debug,
				 struct file_budget *budget, range_hit_vec *hits)
{
	_cleanup_free_ struct debug_distance *distances = calloc(hits->nr + 1, sizeof(*distances));
	const struct debug_distance *d = distances;
	size_t kept = 0;

	if (!distances)
		return -ENOMEM;
	debug_distances_find(model, object, debug, budget, distances,
			     list_frames(questions, hits, distances));
	vec_for_each(hits, hit) {
		const struct question *q = &questions[hit->tag];

		if (d->frame != q->slot / NR_FRAME_PLACES)
			d++;
		hit->addr = q->off + d->distance;
		if (d->is_known)
			hits->data[kept++] = *hit;
	}
	hits->nr = kept;
	return 0;
}

/* By the place of the first byte in the files of the kernel. */
static void hits_to_kernel(const struct question *questions, const struct kernel_layout *layout,
			   range_hit_vec *hits)
{
	size_t kept = 0;

	vec_for_each(hits, hit) {
		uint64_t off = questions[hit->tag].off;

		hit->addr = layout->start + off;
		if (off < layout->size)
			hits->data[kept++] = *hit;
	}
	hits->nr = kept;
}

int hits_to_addresses(const struct model *model, uint32_t object, const struct question *questions,
		      struct elf_pair *elf, struct file_budget *budget, range_hit_vec *hits)
{
	struct kernel_layout layout = {0};
	int ret = 0;

	if (object_kind_is_kernel(model->objects.data[object].key.kind)) {
		ret = kernel_layout_find(elf, model, object, &layout);
		hits_to_kernel(questions, &layout, hits);
	} else if (!elf->has_binary && elf_file_is_debug_only(&elf->debug)) {
		ret = hits_to_vaddrs_mapped(model, object, questions, &elf->debug, budget, hits);
	} else {
		hits_to_vaddrs(questions, elf->has_binary ? &elf->binary : &elf->debug, hits);
	}
	range_hits_sort(hits->data, hits->nr);
	return ret;
}
