// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Linkers write stubs in a few forms, which the row of the architecture knows (elf/arch.h).
 */
#include "elf/plt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/minmax.h"
#include "common/search.h"
#include "elf/elf_entries.h"
#include "elf/symtab.h"

/* Bytes of a stub, if the section does not say. */
#define STUB_BYTES 16

#define PLT_SUFFIX "@plt"

/* The relocation of a slot. */
struct slot {
	uint64_t addr;
	uint32_t symbol; /* in .dynsym; 0: none */
	uint64_t addend; /* without a symbol: address of the function that picks the function */
};

struct stubs {
	struct plt *plt;
	struct elf_file *file;
	VEC(struct slot) slots;  /* sorted by address */
	VEC(struct slot) pushed; /* those of .rela.plt, by number */
	struct elf_bytes symbols, names;
};

/* Finds the symbols that section @index of relocations refers to. */
static void find_symbols(struct stubs *stubs, size_t index)
{
	struct elf_file *file = stubs->file;
	size_t symbols = file->sections.data[index].link;

	if (stubs->symbols.data || !symbols || symbols >= file->sections.nr ||
	    file->sections.data[symbols].type != SHT_DYNSYM)
		return;
	stubs->names = elf_file_section_bytes(file, file->sections.data[symbols].link);
	if (stubs->names.data)
		stubs->symbols = elf_file_section_bytes(file, symbols);
}

/* Reads the slots of the section @name, of all relocations into @pushed if it is not NULL. */
static int read_slots(struct stubs *stubs, const char *name, bool is_pushed)
{
	size_t index = elf_file_find_section(stubs->file, name);
	struct elf_bytes bytes = elf_file_section_bytes(stubs->file, index);
	GElf_Rela rela;

	if (!bytes.data || stubs->file->sections.data[index].type != SHT_RELA)
		return 0;
	find_symbols(stubs, index);
	for (size_t i = 0; elf_relocation_at(bytes, i, &rela); i++) {
		struct slot slot = {rela.r_offset, GELF_R_SYM(rela.r_info), rela.r_addend};
		bool has_slot = elf_arch_is_slot(stubs->file->arch, GELF_R_TYPE(rela.r_info));

		if ((has_slot && vec_push(&stubs->slots, slot)) ||
		    (is_pushed && vec_push(&stubs->pushed, slot)))
			return -ENOMEM;
	}
	return 0;
}

static int compare_slots(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

static int stubs_init(struct stubs *stubs, struct plt *plt, struct elf_file *file)
{
	int ret;

	*stubs = (struct stubs){.plt = plt, .file = file};
	ret = read_slots(stubs, ".rela.plt", true);
	if (!ret)
		ret = read_slots(stubs, ".rela.dyn", false);
	if (stubs->slots.nr)
		qsort(stubs->slots.data, stubs->slots.nr, sizeof(*stubs->slots.data),
		      compare_slots);
	return file->out_of_memory ? -ENOMEM : ret;
}

static void stubs_deinit(struct stubs *stubs)
{
	vec_free(&stubs->slots);
	vec_free(&stubs->pushed);
}

/* Finds the slot of the stub @b, which is linked at @addr. Returns NULL if nothing tells. */
static const struct slot *find_slot(const struct stubs *stubs, struct cursor b, uint64_t addr)
{
	struct elf_stub stub;
	size_t at;

	if (!stubs->file->arch->read_stub(b, addr, &stub))
		return NULL;
	if (stub.is_pushed)
		return stub.value < stubs->pushed.nr ? &stubs->pushed.data[stub.value] : NULL;
	at = search_first(stubs->slots.nr, i, stubs->slots.data[i].addr >= stub.value);
	return at < stubs->slots.nr && stubs->slots.data[at].addr == stub.value
		       ? &stubs->slots.data[at]
		       : NULL;
}

/* Finds the name of the slot's function. Returns false if it has none. */
static bool slot_name(const struct stubs *stubs, const struct slot *slot, const char **name,
		      uint32_t *len)
{
	GElf_Sym sym;

	return slot->symbol && elf_symbol_at(stubs->file, stubs->symbols, slot->symbol, &sym) &&
	       symtab_name(stubs->names, sym.st_name, name, len);
}

static int add_stub(const struct stubs *stubs, const struct slot *slot, struct range *range)
{
	char address[32]; /* as objdump writes it */
	const char *name = address;
	uint32_t len;
	char *text;

	if (!slot_name(stubs, slot, &name, &len)) {
		if (slot->symbol)
			return 0;
		len = snprintf(address, sizeof(address), "*ABS*+0x%" PRIx64, slot->addend);
	}
	if (!file_budget_charge(stubs->file->budget, len)) {
		stubs->file->is_too_large = true;
		return 0;
	}
	text = arena_alloc(&stubs->plt->names, len + sizeof(PLT_SUFFIX));
	if (!text)
		return -ENOMEM;
	memcpy(text, name, len);
	memcpy(text + len, PLT_SUFFIX, sizeof(PLT_SUFFIX));
	range->name = text;
	range->len = len + sizeof(PLT_SUFFIX) - 1;
	return vec_push(&stubs->plt->ranges, *range);
}

/* Names the stubs with hits in section @index. */
static int resolve_section(const struct stubs *stubs, size_t index, const struct range_hit *hits,
			   size_t nr_hits)
{
	const struct elf_section *section = &stubs->file->sections.data[index];
	struct elf_bytes bytes = elf_file_section_bytes(stubs->file, index);
	uint64_t stub = section->entry_size == 8 ? 8 : STUB_BYTES;
	struct range range = {0};

	if (!bytes.data)
		return stubs->file->out_of_memory ? -ENOMEM : 0;
	for (size_t i = range_hits_lower(hits, nr_hits, section->vaddr); i < nr_hits; i++) {
		uint64_t off = (hits[i].addr - section->vaddr) / stub * stub;
		const struct slot *slot;
		struct cursor b;
		int ret;

		if (off >= bytes.size)
			break;
		if (range.size && range.start == section->vaddr + off)
			continue;
		range = (struct range){.start = section->vaddr + off, .size = stub};
		b.p = bytes.data + off;
		b.end = b.p + min_u64(bytes.size - off, stub);
		b.bad = false;
		slot = find_slot(stubs, b, range.start);
		ret = slot ? add_stub(stubs, slot, &range) : 0;
		if (ret)
			return ret;
	}
	return 0;
}

static bool has_hit(const struct elf_section *section, const struct range_hit *hits, size_t nr_hits)
{
	size_t first = range_hits_lower(hits, nr_hits, section->vaddr);

	return first < nr_hits && hits[first].addr - section->vaddr < section->size;
}

int plt_resolve(struct plt *plt, struct elf_file *file, struct range_hit *hits, size_t nr_hits)
{
	static const char *const names[] = {".plt", ".plt.sec", ".plt.got"};
	struct stubs stubs = {0};
	bool is_read = false;
	int ret = 0;

	if (!file->arch || !file->arch->read_stub)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(names) && !ret; i++) {
		size_t index = elf_file_find_section(file, names[i]);

		if (!index || !has_hit(&file->sections.data[index], hits, nr_hits))
			continue;
		if (!is_read)
			ret = stubs_init(&stubs, plt, file);
		is_read = true;
		if (!ret)
			ret = resolve_section(&stubs, index, hits, nr_hits);
	}
	stubs_deinit(&stubs);
	return ret ? ret : ranges_resolve(plt->ranges.data, plt->ranges.nr, hits, nr_hits);
}

void plt_deinit(struct plt *plt)
{
	vec_free(&plt->ranges);
	arena_deinit(&plt->names);
}
