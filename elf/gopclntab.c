// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/gopclntab.h"

#include <errno.h>
#include <string.h>

#include "common/minmax.h"
#include "common/search.h"
#include "elf/elf_entries.h"
#include "elf/go_table.h"

/* Longest name in bytes, also the limit for strings of a recording. */
#define NAME_MAX_BYTES 65535u

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

/* Finds the number at @off of section @index: what is there, or what the dynamic linker writes. */
static bool find_number(struct elf_file *file, size_t index, uint64_t off, uint64_t *number)
{
	struct elf_bytes bytes = elf_file_section_bytes(file, index);

	if (!bytes.data || bytes.size < off + sizeof(*number))
		return false;
	memcpy(number, bytes.data + off, sizeof(*number));
	return *number || find_relocation(file, file->sections.data[index].vaddr + off, number);
}

/* Finds the start of the code in .go.module, if the module is that of the table. */
static bool find_module_start(struct elf_file *file, const struct go_table *table, uint64_t *start)
{
	size_t module = elf_file_find_section(file, ".go.module");
	uint64_t first;

	return find_number(file, module, GO_MODULE_TEXT_OFF, start) &&
	       find_number(file, module, GO_MODULE_FIRST_OFF, &first) &&
	       *start + go_table_address(table, 0) == first;
}

/*
 * Finds the start of the code of Go if the table at @vaddr leaves it out. Where Go's own linker
 * made the file, it is the start of .text. Other linkers put code of C before it, and make .init.
 */
static bool find_text_start(struct elf_file *file, struct go_table *table, uint64_t vaddr)
{
	uint64_t *start = &table->text_start;
	size_t text = elf_file_find_section(file, ".text");

	if (*start || find_relocation(file, vaddr + GO_TEXT_START_OFF, start) ||
	    find_module_start(file, table, start))
		return true;
	if (!text || elf_file_find_section(file, ".init"))
		return false;
	*start = file->sections.data[text].vaddr;
	return true;
}

/* Sets the name of function @i. Returns false if there is no proper name. */
static bool set_name(const struct go_table *table, uint64_t i, struct range *range)
{
	struct go_record record;
	size_t left;

	if (!go_table_record(table, i, &record))
		return false;
	range->name = go_table_name(table, record.name, &left);
	if (!range->name)
		return false;
	range->len = strnlen(range->name, min_u64(left, NAME_MAX_BYTES));
	return range->len && range->len < left && range->len < NAME_MAX_BYTES;
}

/* Finds the function that covers @addr. */
static bool find_function(const struct go_table *table, uint64_t addr, struct range *range)
{
	uint64_t off = addr - table->text_start, next, end;

	if (addr < table->text_start)
		return false;
	next = search_first(table->nr, i, go_table_address(table, i) > off);
	if (!next)
		return false;
	*range = (struct range){.start = go_table_address(table, next - 1)};
	end = go_table_address(table, next);
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
	static const char *const names[] = {".gopclntab", ".data.rel.ro.gopclntab", NULL};
	struct elf_bytes bytes = {0};
	size_t index = 0, off = 0;

	for (int i = 0; !index && names[i]; i++)
		index = elf_file_find_section(file, names[i]);
	if (index || !file->arch || !elf_file_find_section(file, ".go.buildinfo")) {
		bytes = elf_file_section_bytes(file, file->arch ? index : 0);
	} else {
		index = elf_file_find_section(file, ".data.rel.ro");
		bytes = elf_file_section_bytes(file, index);
		if (bytes.data)
			off = go_table_find(bytes.data, bytes.size, file->arch->go_quantum);
	}
	if (!bytes.data)
		return false;
	return go_table_read(bytes.data + off, bytes.size - off, file->arch->go_quantum, table) &&
	       (!table->has_start ||
		find_text_start(file, table, file->sections.data[index].vaddr + off));
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
