// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table begins with a magic number, 4 more bytes, and numbers of 8 bytes: counts, and offsets
 * of parts. The functions are sorted by address. Each has its address, and the place of a record
 * with the place of its name. From Go 1.18 on, addresses are of 4 bytes, relative to the start of
 * the code. The linker of position-independent programs leaves that start to a relocation.
 *
 * Formats: runtime/symtab.go of Go, struct pcHeader; debug/gosym/pclntab.go.
 */
#include "elf/gopclntab.h"

#include <errno.h>

#include "elf/dwarf_bytes.h"
#include "common/minmax.h"
#include "common/search.h"
#include "elf/elf_entries.h"

#define MAGIC_1_16 0xfffffffau
#define MAGIC_1_18 0xfffffff0u
#define MAGIC_1_20 0xfffffff1u

/* Place of the start of the code, from Go 1.18 on. */
#define TEXT_START_OFF 24

/* Longest name in bytes, also the limit for strings of a recording. */
#define NAME_MAX_BYTES 65535u

struct go_table {
	const uint8_t *bytes;
	size_t size;
	uint64_t text_start; /* addresses count from here */
	uint64_t nr;         /* of functions */
	uint64_t names;      /* offset of the names */
	uint64_t functions;  /* offset of the functions; places of their records count from here */
	size_t number_size;  /* bytes of an address, and of a place, in the list of functions */
};

/* Reads @size bytes at @off, which need not be there. */
static bool read_number(const struct go_table *table, uint64_t off, size_t size, uint64_t *number)
{
	struct cursor b = {table->bytes, table->bytes + table->size, false};

	cursor_bytes(&b, off);
	*number = dwarf_fixed(&b, size);
	return !b.bad;
}

/* Reads number @field of function @i: 0 is the address, 1 the place of the record. */
static uint64_t function_number(const struct go_table *table, uint64_t i, unsigned int field)
{
	uint64_t number;

	read_number(table, table->functions + (2 * i + field) * table->number_size,
		    table->number_size, &number);
	return number;
}

/* Finds the number that the dynamic linker writes to @addr. */
static bool find_relocation(struct elf_file *file, uint64_t addr, uint64_t *value)
{
	size_t index = elf_file_find_section(file, ".rela.dyn");
	struct elf_bytes bytes = elf_file_section_bytes(file, index);
	GElf_Rela rela;

	if (!bytes.data || file->sections.data[index].type != SHT_RELA)
		return false;
	for (size_t i = 0; elf_relocation_at(bytes, i, &rela); i++) {
		if (rela.r_offset != addr || GELF_R_TYPE(rela.r_info) != file->arch->relative)
			continue;
		*value = rela.r_addend;
		return true;
	}
	return false;
}

/*
 * Finds the start of the code of Go if the table leaves it out. Where Go's own linker made the
 * file, it is the start of .text. Other linkers put code of C before it, and make .init.
 */
static bool find_text_start(struct elf_file *file, uint64_t vaddr, uint64_t *start)
{
	size_t text = elf_file_find_section(file, ".text");

	if (*start || find_relocation(file, vaddr + TEXT_START_OFF, start))
		return true;
	if (!text || elf_file_find_section(file, ".init"))
		return false;
	*start = file->sections.data[text].vaddr;
	return true;
}

/* Reads the header of the table, which is linked at @vaddr. */
static bool read_header(struct go_table *table, struct elf_file *file, uint64_t vaddr)
{
	uint64_t magic, sizes, last;
	bool has_start, is_whole;
	uint64_t at;

	if (!read_number(table, 0, 4, &magic) || !read_number(table, 6, 2, &sizes) ||
	    (magic != MAGIC_1_16 && magic != MAGIC_1_18 && magic != MAGIC_1_20))
		return false;
	has_start = magic != MAGIC_1_16;
	at = has_start ? TEXT_START_OFF + 8 : TEXT_START_OFF;
	/* The quantum, and pointers of 8 bytes. */
	is_whole = sizes == (0x0800u | file->arch->go_quantum) &&
		   read_number(table, 8, 8, &table->nr) &&
		   read_number(table, at, 8, &table->names) &&
		   read_number(table, at + 4 * 8, 8, &table->functions);
	table->number_size = has_start ? 4 : 8;
	if (!is_whole || table->functions > table->size ||
	    table->nr > (table->size - table->functions) / (2 * table->number_size) ||
	    !read_number(table, table->functions + table->nr * 2 * table->number_size,
			 table->number_size, &last))
		return false;
	if (!has_start)
		return true;
	return read_number(table, TEXT_START_OFF, 8, &table->text_start) &&
	       find_text_start(file, vaddr, &table->text_start);
}

/* Sets the name of function @i. Returns false if there is no proper name. */
static bool set_name(const struct go_table *table, uint64_t i, struct range *range)
{
	uint64_t record = function_number(table, i, 1), name;
	size_t left;

	/* The record begins with the address, too. */
	if (record > table->size ||
	    !read_number(table, table->functions + record + table->number_size, 4, &name) ||
	    table->names > table->size || name >= table->size - table->names)
		return false;
	range->name = (const char *)table->bytes + table->names + name;
	left = table->size - table->names - name;
	range->len = strnlen(range->name, min_u64(left, NAME_MAX_BYTES));
	return range->len && range->len < left && range->len < NAME_MAX_BYTES;
}

/* Finds the function that covers @addr. */
static bool find_function(const struct go_table *table, uint64_t addr, struct range *range)
{
	uint64_t off = addr - table->text_start, next, end;

	if (addr < table->text_start)
		return false;
	next = search_first(table->nr, i, function_number(table, i, 0) > off);
	if (!next)
		return false;
	*range = (struct range){.start = function_number(table, next - 1, 0)};
	end = function_number(table, next, 0);
	/* A table that lies may not be sorted. */
	if (off < range->start || off >= end)
		return false;
	range->size = end - range->start;
	range->start += table->text_start;
	return set_name(table, next - 1, range);
}

/* Finds the table. Returns false if the file has none that can be read. */
static bool find_table(struct go_table *table, struct elf_file *file)
{
	static const char *const names[] = {".gopclntab", ".data.rel.ro.gopclntab"};
	size_t index = elf_file_find_section(file, names[0]);
	struct elf_bytes bytes;

	if (!index)
		index = elf_file_find_section(file, names[1]);
	bytes = elf_file_section_bytes(file, file->arch ? index : 0);
	if (!bytes.data)
		return false;
	*table = (struct go_table){.bytes = bytes.data, .size = bytes.size};
	return read_header(table, file, file->sections.data[index].vaddr);
}

int gopclntab_resolve(struct gopclntab *table, struct elf_file *file, struct range_hit *hits,
		      size_t nr_hits)
{
	struct range range = {0};
	struct go_table go;

	if (!find_table(&go, file))
		return file->out_of_memory ? -ENOMEM : 0;
	for (size_t i = 0; i < nr_hits; i++) {
		if (hits[i].addr - range.start < range.size)
			continue;
		if (!find_function(&go, hits[i].addr, &range))
			range.size = 0;
		else if (!file_budget_charge(file->budget, range.len))
			break;
		else if (vec_push(&table->ranges, range))
			return -ENOMEM;
	}
	return ranges_resolve(table->ranges.data, table->ranges.nr, hits, nr_hits);
}

void gopclntab_deinit(struct gopclntab *table)
{
	vec_free(&table->ranges);
}
