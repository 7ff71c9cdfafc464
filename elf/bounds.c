// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * .eh_frame_hdr has a sorted table of all functions. With it, the cost goes with the number of
 * addresses and not with the size of the file. The table only leads to the entry in .eh_frame. The
 * entry has the bounds, so a table that lies finds nothing. Without a table, all entries are read.
 *
 * Formats: Linux Standard Base, sections 10.6.1 and 10.6.2.
 */
#include "elf/bounds.h"

#include <errno.h>

#include "elf/eh_frame.h"
#include "common/search.h"

/* Larger sections are not read. Browsers have 20 MB. */
#define EH_FRAME_BYTES_MAX (128u << 20)

/* An entry of the table in .eh_frame_hdr: two numbers of 32 bits, relative to the section. */
#define TABLE_ENTRY_BYTES 8
#define TABLE_ENCODING    (DW_EH_PE_datarel | DW_EH_PE_sdata4)

/* The sorted table of .eh_frame_hdr. */
struct eh_table {
	uint64_t base; /* address of the section */
	const uint8_t *entries;
	size_t nr;
};

struct scan {
	struct eh_section section;
	struct eh_table table;
	/* the CIE that was read last: neighbours share it */
	struct eh_cie cie;
	uint64_t cie_off;
	bool has_cie;
};

/* Reads the sections. Returns false if the file has no .eh_frame that can be read. */
static bool scan_init(struct scan *scan, struct elf_file *file)
{
	size_t frame = elf_file_find_section(file, ".eh_frame");
	size_t got = elf_file_find_section(file, ".got");
	struct elf_bytes bytes;

	if (!frame || !file->arch || file->sections.data[frame].size > EH_FRAME_BYTES_MAX)
		return false;
	bytes = elf_file_section_bytes(file, frame);
	if (!bytes.data)
		return false;
	*scan = (struct scan){
		.section.bytes = bytes.data,
		.section.size = bytes.size,
		.section.vaddr = file->sections.data[frame].vaddr,
		.section.data_base = got ? file->sections.data[got].vaddr : 0,
	};
	return true;
}

/* Finds the sorted table. A file without one keeps an empty table. */
static void find_table(struct scan *scan, struct elf_file *file)
{
	size_t index = elf_file_find_section(file, ".eh_frame_hdr");
	uint64_t vaddr = index ? file->sections.data[index].vaddr : 0;
	struct elf_bytes bytes = elf_file_section_bytes(file, index);
	uint8_t pointer, count, encoding;
	struct eh_section section;
	struct cursor b;
	uint64_t ignored, nr;

	if (!bytes.data)
		return;
	section = (struct eh_section){bytes.data, bytes.size, vaddr, vaddr, false};
	b = (struct cursor){section.bytes, section.bytes + section.size, false};
	if (dwarf_u8(&b) != 1)
		return;
	pointer = dwarf_u8(&b);
	count = dwarf_u8(&b);
	encoding = dwarf_u8(&b);
	if (encoding != TABLE_ENCODING || count == DW_EH_PE_omit ||
	    (pointer != DW_EH_PE_omit && !eh_number(&b, pointer, &ignored)) ||
	    !eh_number(&b, count, &nr) || nr > cursor_left(&b) / TABLE_ENTRY_BYTES)
		return;
	scan->table = (struct eh_table){vaddr, b.p, nr};
}

/* Reads number @field of entry @i: 0 is the start of the function, 1 the place of its FDE. */
static uint64_t table_address(const struct eh_table *table, size_t i, size_t field)
{
	int32_t number;

	memcpy(&number, table->entries + i * TABLE_ENTRY_BYTES + field * sizeof(number),
	       sizeof(number));
	return table->base + (int64_t)number;
}

/* Reads the function of @entry. Returns false if the entry has none. */
static bool read_function(struct scan *scan, const struct eh_entry *entry, struct eh_fde *fde)
{
	struct cursor program;

	if (entry->is_empty || entry->is_cie)
		return false;
	if (!scan->has_cie || scan->cie_off != entry->cie_off) {
		scan->cie_off = entry->cie_off;
		scan->has_cie = eh_cie_read(&scan->section, entry->cie_off, &scan->cie, &program);
	}
	return scan->has_cie && eh_fde_read(&scan->section, &scan->cie, entry, fde);
}

/* Finds the function that covers @addr through the table. */
static bool find_in_table(struct scan *scan, uint64_t addr, struct eh_fde *fde)
{
	const struct eh_table *table = &scan->table;
	size_t next = search_first(table->nr, i, table_address(table, i, 0) > addr);
	struct eh_entry entry;
	uint64_t off;

	if (!next)
		return false;
	off = table_address(table, next - 1, 1) - scan->section.vaddr;
	return off < scan->section.size && eh_entry_read(&scan->section, off, &entry) &&
	       read_function(scan, &entry, fde) && addr >= fde->start && addr < fde->end;
}

static void add_function(struct bounds *bounds, const struct eh_fde *fde)
{
	struct range range = {.start = fde->start, .size = fde->end - fde->start, .name = ""};

	/* The caller has made the room. */
	bounds->ranges.data[bounds->ranges.nr++] = range;
}

static void look_up_all(struct bounds *bounds, struct scan *scan, const struct range_hit *hits,
			size_t nr_hits)
{
	struct eh_fde fde = {0};

	for (size_t i = 0; i < nr_hits; i++) {
		if (hits[i].addr >= fde.start && hits[i].addr < fde.end)
			continue;
		if (find_in_table(scan, hits[i].addr, &fde))
			add_function(bounds, &fde);
		else
			fde = (struct eh_fde){0};
	}
}

/* Functions do not overlap, so there are at most as many with a hit as there are hits. */
static void read_all(struct bounds *bounds, struct scan *scan, const struct range_hit *hits,
		     size_t nr_hits)
{
	const struct eh_section *section = &scan->section;
	struct eh_entry entry;

	for (uint64_t off = 0; off < section->size && bounds->ranges.nr < nr_hits;
	     off = entry.b.end - section->bytes) {
		struct eh_fde fde;
		size_t first;

		if (!eh_entry_read(section, off, &entry))
			break;
		if (!read_function(scan, &entry, &fde))
			continue;
		first = range_hits_lower(hits, nr_hits, fde.start);
		if (first < nr_hits && hits[first].addr < fde.end)
			add_function(bounds, &fde);
	}
}

int bounds_resolve(struct bounds *bounds, struct elf_file *file, struct range_hit *hits,
		   size_t nr_hits)
{
	struct scan scan;

	if (!scan_init(&scan, file))
		return file->out_of_memory ? -ENOMEM : 0;
	find_table(&scan, file);
	if (file->out_of_memory || vec_reserve(&bounds->ranges, nr_hits))
		return -ENOMEM;
	if (scan.table.nr)
		look_up_all(bounds, &scan, hits, nr_hits);
	else
		read_all(bounds, &scan, hits, nr_hits);
	return ranges_resolve(bounds->ranges.data, bounds->ranges.nr, hits, nr_hits);
}

void bounds_deinit(struct bounds *bounds)
{
	vec_free(&bounds->ranges);
}
