// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/dwarf/split_package.h"

#include "elf/dwarf_bytes.h"

/*
 * A look-up in an honest index takes a few probes, since a third of its slots are free. A hostile
 * one could make each look-up pass all slots.
 */
#define PROBES_MAX 4096

#define SIGNATURE_BYTES 8
#define NUMBER_BYTES    4

/* The tables of the index follow its header in this order. */
struct package_index {
	uint16_t version;
	uint32_t nr_columns, nr_rows, nr_slots;
	const uint8_t *signatures; /* of each slot */
	const uint8_t *slots;      /* the row of each slot, counted from 1; 0: the slot is free */
	const uint8_t *columns;    /* the section of each column, by its number in the format */
	const uint8_t *offsets;    /* [row][column] */
	const uint8_t *sizes;      /* [row][column] */
};

static uint32_t number_at(const uint8_t *table, uint64_t index)
{
	uint32_t number;

	memcpy(&number, table + index * NUMBER_BYTES, sizeof(number));
	return number;
}

/* Reads the header. Returns false if the package has no index or a damaged one. */
static bool read_index(const struct dwarf_file *package, struct package_index *index)
{
	struct cursor c = dwarf_cursor(package, DWARF_CU_INDEX, 0);
	uint64_t nr_numbers;

	index->version = dwarf_fixed(&c, 2);
	dwarf_fixed(&c, 2);
	index->nr_columns = dwarf_fixed(&c, 4);
	index->nr_rows = dwarf_fixed(&c, 4);
	index->nr_slots = dwarf_fixed(&c, 4);
	if (c.bad || (index->version != 2 && index->version != 5) ||
	    index->nr_columns > NR_DWARF_SECTIONS || !index->nr_slots ||
	    index->nr_slots & (index->nr_slots - 1))
		return false;
	index->signatures = cursor_bytes(&c, (uint64_t)index->nr_slots * SIGNATURE_BYTES);
	index->slots = cursor_bytes(&c, (uint64_t)index->nr_slots * NUMBER_BYTES);
	index->columns = cursor_bytes(&c, (uint64_t)index->nr_columns * NUMBER_BYTES);
	nr_numbers = (uint64_t)index->nr_rows * index->nr_columns;
	index->offsets = cursor_bytes(&c, nr_numbers * NUMBER_BYTES);
	index->sizes = cursor_bytes(&c, nr_numbers * NUMBER_BYTES);
	return !c.bad;
}

/* Returns the row of the unit, counted from 1; 0 if it has none. */
static uint32_t find_row(const struct package_index *index, uint64_t dwo_id)
{
	uint32_t mask = index->nr_slots - 1;
	uint32_t slot = dwo_id & mask, step = ((dwo_id >> 32) & mask) | 1;

	for (uint32_t i = 0; i < PROBES_MAX && i < index->nr_slots; i++) {
		uint32_t row = number_at(index->slots, slot);
		uint64_t signature;

		memcpy(&signature, index->signatures + (uint64_t)slot * SIGNATURE_BYTES,
		       sizeof(signature));
		if (!row || row > index->nr_rows)
			return 0;
		if (signature == dwo_id)
			return row;
		slot = (slot + step) & mask;
	}
	return 0;
}

/* Returns the section of a column, -1 for one that is of no interest. */
static int section_of_column(uint32_t column, uint16_t version)
{
	static const int8_t sections[] = {[1] = DWARF_INFO + 1,
					  [3] = DWARF_ABBREV + 1,
					  [4] = DWARF_LINE + 1,
					  [6] = DWARF_STR_OFFSETS + 1};

	if (column == 8 && version == 5)
		return DWARF_RNGLISTS;
	return column < sizeof(sections) ? sections[column] - 1 : -1;
}

bool split_package_find(const struct dwarf_file *package, uint64_t dwo_id, struct dwarf_file *unit)
{
	struct package_index index;
	uint32_t row;

	row = read_index(package, &index) ? find_row(&index, dwo_id) : 0;
	if (!row)
		return false;
	unit->sections[DWARF_STR] = package->sections[DWARF_STR];
	for (uint32_t i = 0; i < index.nr_columns; i++) {
		uint64_t at = (uint64_t)(row - 1) * index.nr_columns + i;
		uint64_t off = number_at(index.offsets, at), size = number_at(index.sizes, at);
		int section = section_of_column(number_at(index.columns, i), index.version);
		const struct dwarf_bytes *whole = &package->sections[section < 0 ? 0 : section];

		if (section < 0 || !size || off > whole->size || size > whole->size - off)
			continue;
		unit->sections[section] = (struct dwarf_bytes){whole->data + off, size};
	}
	return unit->sections[DWARF_INFO].size;
}
