// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A symbol without a size (hand-written assembler) reaches to the next function symbol or to the
 * end of its section. It counts only for addresses that no symbol with a size covers, and not at
 * all if it begins inside one: then it is a place in that function, which says nothing of the code
 * behind. So its range has no other function's start in it and no byte of a symbol with a size, and
 * is the same whatever the hits are: a recording carries the range without the table.
 *
 * The tables are read once, and most symbols cover no hit. So they leave traces in the gaps between
 * the hits: gap i is (hits[i - 1], hits[i]], and the last one is behind all hits. nearest[i] is the
 * symbol without a size that has the greatest start in gap i, ends[i] the farthest end of the
 * functions that start there, and nexts[i] their least start. After all tables are read, the
 * nearest start of a hit is the last one at or before its place.
 *
 * A label in code has no type: "_start" of the dynamic linker, or functions that some assemblers
 * make. It counts only for addresses that no function covers, and reaches to the next function or
 * label.
 */
#include "elf/symtab.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/minmax.h"
#include "elf/elf_entries.h"

/* Longest name in bytes, also the limit for strings of a recording. */
#define NAME_MAX_BYTES 65535u

/*
 * Bytes of names that are read for each byte of the tables. Linkers write each name once, or share
 * it among few symbols. In a hostile file, a million symbols share the bytes of names of 64 KB.
 */
#define NAME_BYTES_PER_BYTE 16

struct symbol_table {
	struct elf_file *file;
	struct elf_bytes symbols, names, indices;
	uint32_t section;    /* of the symbol that is read; 0: none */
	uint64_t names_read; /* bytes of names that were read */
	bool is_dynamic;
	bool is_made; /* its section has no header: nothing tells the sections of symbols */
};

static bool is_function(const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && sym->st_shndx != SHN_UNDEF;
}

/* Tools leave marks of their own among the labels, with names that begin with a dot or a dollar. */
static bool is_label(const struct symbol_table *table, const GElf_Sym *sym)
{
	const struct elf_file *file = table->file;
	uint8_t first = sym->st_name < table->names.size ? table->names.data[sym->st_name] : 0;

	return GELF_ST_TYPE(sym->st_info) == STT_NOTYPE && !table->is_dynamic &&
	       table->section < file->sections.nr && file->sections.data[table->section].is_exec &&
	       (isalpha(first) || first == '_');
}

static uint8_t symbol_binding(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_GLOBAL:
	case STB_GNU_UNIQUE:
		return RANGE_GLOBAL;
	case STB_WEAK:
		return RANGE_WEAK;
	default:
		return RANGE_LOCAL;
	}
}

bool symtab_name(struct elf_bytes names, uint64_t off, const char **name, uint32_t *len)
{
	const char *start, *version;
	size_t left, size;

	if (off >= names.size)
		return false;
	start = (const char *)names.data + off;
	left = names.size - off;
	size = strnlen(start, min_u64(left, NAME_MAX_BYTES));
	if (size == left || size == NAME_MAX_BYTES)
		return false;
	version = memchr(start, '@', size);
	if (version && version != start)
		size = version - start;
	*name = start;
	*len = size;
	return size;
}

/*
 * Charges @len bytes of a name that was read. Those beyond the size of the names are read again, so
 * they count as bytes of the file. Returns false if no more may be read.
 */
static bool charge_name(struct symbol_table *table, uint32_t len)
{
	uint64_t max = NAME_BYTES_PER_BYTE * (table->symbols.size + table->names.size);

	table->names_read += len;
	if (table->names_read <= table->names.size ||
	    (table->names_read <= max && file_budget_charge(table->file->budget, len)))
		return true;
	table->file->is_too_large = true;
	return false;
}

/* Returns the bytes from @addr to the end of a segment with code, 0 if none holds it. */
static uint64_t bytes_to_segment_end(const struct elf_file *file, uint64_t addr)
{
	vec_for_each(&file->segments, s)
		if (s->is_exec && addr >= s->vaddr && addr - s->vaddr < s->file_size)
			return s->file_size - (addr - s->vaddr);
	return 0;
}

static uint64_t bytes_to_section_end(const struct symbol_table *table, const GElf_Sym *sym)
{
	const struct elf_file *file = table->file;
	const struct elf_section *section;

	if (table->is_made)
		return bytes_to_segment_end(file, sym->st_value);
	if (table->section >= file->sections.nr)
		return 0;
	section = &file->sections.data[table->section];
	if (sym->st_value < section->vaddr || sym->st_value - section->vaddr >= section->size)
		return 0;
	return section->size - (sym->st_value - section->vaddr);
}

/* Notes @range, unless a better one is there. One outside of its section has no size. */
static void note_nearest(struct range *nearest, const struct range *range)
{
	if (nearest->name && range->start == nearest->start &&
	    (!range->size || (nearest->size && range_prefer(nearest, range) <= 0)))
		return;
	*nearest = *range;
}

/* Notes the bounds of a function in gap @gap. Its name does not matter. */
static void note_function(struct symtab *symtab, size_t gap, const struct range *range)
{
	uint64_t *end = &symtab->ends.data[gap];

	*end = max_u64(*end, range->start + min_u64(range->size, UINT64_MAX - range->start));
	symtab->nexts.data[gap] = min_u64(symtab->nexts.data[gap], range->start);
}

/* Adds a symbol that reaches to the next one, and has no name yet, to its gap's @nearest. */
static int add_nearest(struct range *nearest, struct symbol_table *table, const GElf_Sym *sym,
		       struct range range)
{
	if (range.start < nearest->start ||
	    !symtab_name(table->names, sym->st_name, &range.name, &range.len))
		return 0;
	if (!charge_name(table, range.len))
		return -E2BIG;
	/* Without a size, or as a label, which has one now and then. */
	range.size =
		min_u64(range.size ? range.size : UINT64_MAX, bytes_to_section_end(table, sym));
	note_nearest(nearest, &range);
	return 0;
}

static int add_label(struct symtab *symtab, struct symbol_table *table, const GElf_Sym *sym,
		     const struct range *range, size_t gap)
{
	uint64_t *next = &symtab->label_nexts.data[gap];

	if (!is_label(table, sym))
		return 0;
	*next = min_u64(*next, range->start);
	return gap < symtab->finder.nr ? add_nearest(&symtab->labels.data[gap], table, sym, *range)
				       : 0;
}

/* Returns 0, -ENOMEM, or -E2BIG if the names take too much work. */
static int add_symbol(struct symtab *symtab, struct symbol_table *table, const GElf_Sym *sym)
{
	const struct hit_finder *finder = &symtab->finder;
	struct range range = {
		.start = sym->st_value, .size = sym->st_size, .binding = symbol_binding(sym)};
	bool has_function = is_function(sym);
	size_t gap;

	if (!has_function && GELF_ST_TYPE(sym->st_info) != STT_NOTYPE)
		return 0;
	symtab->nr_symbols += has_function;
	gap = hit_finder_lower(finder, range.start);
	if (!has_function)
		return add_label(symtab, table, sym, &range, gap);
	note_function(symtab, gap, &range);
	if (gap == finder->nr)
		return 0;
	if (!range.size)
		return add_nearest(&symtab->nearest.data[gap], table, sym, range);
	/* Most symbols cover no hit. Looking at their names would take most of the time. */
	if (finder->hits[gap].addr - range.start >= range.size ||
	    !symtab_name(table->names, sym->st_name, &range.name, &range.len))
		return 0;
	return charge_name(table, range.len) ? vec_push(&symtab->ranges, range) : -E2BIG;
}

static int add_table(struct symtab *symtab, struct symbol_table *table)
{
	GElf_Sym sym;
	int ret = 0;

	for (size_t i = 0; !ret && i < SYMTAB_SYMBOLS_MAX; i++) {
		if (!elf_symbol_at(table->file, table->symbols, i, &sym))
			break;
		table->section = elf_symbol_section(table->indices, i, &sym);
		ret = add_symbol(symtab, table, &sym);
	}
	return ret;
}

/* Prepares for @hits, unless that is done. */
static int make_room(struct symtab *symtab, const struct range_hit *hits, size_t nr_hits)
{
	if (symtab->finder.hits)
		return 0;
	if (vec_reserve(&symtab->nearest, nr_hits) || vec_reserve(&symtab->labels, nr_hits) ||
	    vec_reserve(&symtab->ends, nr_hits + 1) || vec_reserve(&symtab->nexts, nr_hits + 1) ||
	    vec_reserve(&symtab->label_nexts, nr_hits + 1) ||
	    hit_finder_init(&symtab->finder, hits, nr_hits))
		return -ENOMEM;
	symtab->nearest.nr = symtab->labels.nr = nr_hits;
	for (size_t i = 0; i < nr_hits; i++)
		symtab->nearest.data[i] = symtab->labels.data[i] = (struct range){0};
	for (size_t i = 0; i <= nr_hits; i++) {
		symtab->ends.data[i] = 0;
		symtab->nexts.data[i] = symtab->label_nexts.data[i] = UINT64_MAX;
	}
	return 0;
}

int symtab_add(struct symtab *symtab, struct elf_file *file, const struct range_hit *hits,
	       size_t nr_hits)
{
	unsigned int has_symtab = 0, has_dynsym = 0;

	if (make_room(symtab, hits, nr_hits))
		return -ENOMEM;
	for (size_t i = 1; i < file->sections.nr; i++) {
		const struct elf_section *section = &file->sections.data[i];
		struct symbol_table table = {.file = file,
					     .is_dynamic = section->type == SHT_DYNSYM,
					     .is_made = section->made_name};
		int ret;

		/* An object file has at most one section of each kind (ELF gABI, Sections). */
		if ((section->type != SHT_SYMTAB || has_symtab++) &&
		    (section->type != SHT_DYNSYM || has_dynsym++))
			continue;
		if (section->link >= file->sections.nr ||
		    file->sections.data[section->link].type != SHT_STRTAB)
			continue;
		table.symbols = elf_file_section_bytes(file, i);
		table.names = elf_file_section_bytes(file, section->link);
		table.indices = elf_file_symbol_indices(file, i);
		if (file->out_of_memory)
			return -ENOMEM;
		if (!table.symbols.data || !table.names.data)
			continue;
		ret = add_table(symtab, &table);
		symtab->is_cut |= ret == -E2BIG;
		if (ret == -ENOMEM)
			return ret;
	}
	return 0;
}

/* Forgets the symbols: those that were not read might change the names of all others. */
static void drop_symbols(struct symtab *symtab)
{
	symtab->ranges.nr = symtab->nearest.nr = symtab->labels.nr = 0;
	symtab->nr_symbols = 0;
}

/*
 * Cuts the ranges of the gaps at the least start behind their gap, of the functions or of @nexts.
 */
static void cut_nearest(const struct symtab *symtab, range_vec *nearest, const uint64_t *nexts)
{
	uint64_t next = UINT64_MAX;

	for (size_t i = nearest->nr; i-- > 0;) {
		struct range *range = &nearest->data[i];

		next = min_u64(next, min_u64(symtab->nexts.data[i + 1], nexts[i + 1]));
		range->size = min_u64(range->size, next - range->start);
	}
}

/* Sets the ranges of hits that have none by those of the gaps. */
static void resolve_nearest(const struct symtab *symtab, const range_vec *nearest,
			    struct range_hit *hits, size_t nr_hits)
{
	const struct range *last = NULL;
	uint64_t end = 0;

	for (size_t i = 0; i < nr_hits && i < nearest->nr; i++) {
		const struct range *range = &nearest->data[i];

		end = max_u64(end, symtab->ends.data[i]);
		if (range->name)
			last = range;
		if (!hits[i].range && last && last->start >= end &&
		    hits[i].addr - last->start < last->size)
			hits[i].range = last;
	}
}

/*
 * Sorts the ranges that cover a hit. Few have the same first hit, so the ranges are counted by it,
 * and only those of one hit are compared.
 */
static int sort_ranges(struct symtab *symtab, size_t nr_hits)
{
	_cleanup_free_ size_t *ends = calloc(nr_hits + 1, sizeof(*ends));
	range_vec sorted = {0};
	size_t begin = 0;

	if (!ends || vec_reserve(&sorted, symtab->ranges.nr)) {
		vec_free(&sorted);
		return -ENOMEM;
	}
	vec_for_each(&symtab->ranges, range)
		ends[hit_finder_lower(&symtab->finder, range->start) + 1]++;
	for (size_t i = 0; i < nr_hits; i++)
		ends[i + 1] += ends[i];
	vec_for_each(&symtab->ranges, range)
		sorted.data[ends[hit_finder_lower(&symtab->finder, range->start)]++] = *range;
	sorted.nr = symtab->ranges.nr;
	for (size_t i = 0; i < nr_hits; begin = ends[i++])
		ranges_sort(sorted.data + begin, ends[i] - begin);
	vec_free(&symtab->ranges);
	symtab->ranges = sorted;
	return 0;
}

int symtab_resolve(struct symtab *symtab, struct range_hit *hits, size_t nr_hits)
{
	int ret;

	if (symtab->is_cut)
		drop_symbols(symtab);
	ret = symtab->ranges.nr ? sort_ranges(symtab, nr_hits) : 0;
	if (!ret)
		ret = ranges_resolve(symtab->ranges.data, symtab->ranges.nr, hits, nr_hits);
	if (ret)
		return ret;
	cut_nearest(symtab, &symtab->nearest, symtab->nexts.data);
	cut_nearest(symtab, &symtab->labels, symtab->label_nexts.data);
	resolve_nearest(symtab, &symtab->nearest, hits, nr_hits);
	resolve_nearest(symtab, &symtab->labels, hits, nr_hits);
	return 0;
}

void symtab_deinit(struct symtab *symtab)
{
	vec_free(&symtab->ranges);
	vec_free(&symtab->nearest);
	vec_free(&symtab->labels);
	vec_free(&symtab->ends);
	vec_free(&symtab->nexts);
	vec_free(&symtab->label_nexts);
	hit_finder_deinit(&symtab->finder);
}
