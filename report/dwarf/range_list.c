// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/dwarf/range_list.h"

#include "elf/dwarf_bytes.h"
#include "report/dwarf/dwarf_constants.h"

struct range_list {
	const struct dwarf_unit *unit;
	struct dwarf_work *work;
	range_fn *fn;
	void *ctx;
	uint64_t base;
};

/* An address that linkers write for code that they dropped is near the largest one. */
static bool is_dropped(const struct range_list *list, uint64_t low)
{
	uint64_t largest = list->unit->sizes.address == 8 ? UINT64_MAX : UINT32_MAX;

	return !low || low >= largest - 1;
}

static void note_range(const struct range_list *list, uint64_t low, uint64_t high)
{
	if (low < high && !is_dropped(list, low))
		list->fn(list->ctx, low, high);
}

/* Reads a list of DWARF before 5: pairs of addresses, relative to a base. */
static void read_pairs(struct range_list *list, uint64_t off)
{
	uint8_t size = list->unit->sizes.address;
	uint64_t largest = size == 8 ? UINT64_MAX : UINT32_MAX;
	struct cursor c = dwarf_cursor(list->unit->main_file, DWARF_RANGES, off);

	while (!c.bad && dwarf_work_charge(list->work, 2 * size)) {
		uint64_t low = dwarf_fixed(&c, size), high = dwarf_fixed(&c, size);

		if (c.bad || (!low && !high))
			break;
		if (low == largest)
			list->base = high;
		else
			note_range(list, list->base + low, list->base + high);
	}
}

static uint64_t read_address(const struct range_list *list, struct cursor *c)
{
	return dwarf_fixed(c, list->unit->sizes.address);
}

static uint64_t read_indexed(const struct range_list *list, struct cursor *c)
{
	uint64_t addr;

	return unit_address_at(list->unit, dwarf_uleb(c), &addr) ? addr : cursor_fail(c);
}

/* Reads an entry of kind @kind. */
static void read_entry(struct range_list *list, struct cursor *c, uint8_t kind)
{
	uint64_t low = 0, high = 0;

	switch (kind) {
	case DW_RLE_base_addressx:
		list->base = read_indexed(list, c);
		return;
	case DW_RLE_base_address:
		list->base = read_address(list, c);
		return;
	case DW_RLE_startx_endx:
	case DW_RLE_startx_length:
		low = read_indexed(list, c);
		high = kind == DW_RLE_startx_endx ? read_indexed(list, c) : low + dwarf_uleb(c);
		break;
	case DW_RLE_offset_pair:
		/* The offsets of code that was dropped with its base are no addresses. */
		low = dwarf_uleb(c) + list->base;
		high = dwarf_uleb(c) + list->base;
		if (is_dropped(list, list->base) && list->base)
			return;
		break;
	case DW_RLE_start_end:
	case DW_RLE_start_length:
		low = read_address(list, c);
		high = kind == DW_RLE_start_end ? read_address(list, c) : low + dwarf_uleb(c);
		break;
	default:
		cursor_fail(c);
	}
	if (!c->bad)
		note_range(list, low, high);
}

/* Reads a list of DWARF 5. */
static void read_entries(struct range_list *list, uint64_t off)
{
	struct cursor c = dwarf_cursor(list->unit->file, DWARF_RNGLISTS, off);

	while (cursor_left(&c)) {
		const uint8_t *start = c.p;
		uint8_t kind = dwarf_u8(&c);

		if (kind == DW_RLE_end_of_list)
			break;
		read_entry(list, &c, kind);
		if (c.bad || !dwarf_work_charge(list->work, c.p - start))
			break;
	}
}

/* Computes the offset of list @index by the table of offsets. Returns false if there is none. */
static bool indexed_list(const struct dwarf_unit *unit, uint64_t index, uint64_t *off)
{
	uint8_t size = unit->sizes.offset;
	/* A split unit has no base: its table follows the only header. */
	uint64_t base = unit->rnglists_base ? unit->rnglists_base : (size == 8 ? 20 : 12);
	struct cursor c = dwarf_cursor(unit->file, DWARF_RNGLISTS, base);

	if (index >= cursor_left(&c) / size)
		return false;
	c.p += index * size;
	*off = base + dwarf_fixed(&c, size);
	return true;
}

static void read_list(struct range_list *list, const struct dwarf_value *value)
{
	const struct dwarf_unit *unit = list->unit;
	uint64_t off = value->number;

	if (value->form == DW_FORM_rnglistx && !indexed_list(unit, value->number, &off))
		return;
	if (unit->version >= 5)
		read_entries(list, off);
	else
		read_pairs(list, unit->file == unit->main_file ? off : off + unit->gnu_ranges_base);
}

void die_ranges(const struct dwarf_unit *unit, const struct die *die, struct dwarf_work *work,
		range_fn *fn, void *ctx)
{
	struct range_list list = {.unit = unit, .work = work, .fn = fn, .ctx = ctx};
	const struct dwarf_value *high = &die->values[DIE_HIGH_PC];
	uint64_t low_pc, high_pc;

	list.base = unit->low_pc;
	if (die_has(die, DIE_RANGES)) {
		read_list(&list, &die->values[DIE_RANGES]);
		return;
	}
	if (!die_has(die, DIE_LOW_PC) || !die_has(die, DIE_HIGH_PC) ||
	    !unit_address(unit, &die->values[DIE_LOW_PC], &low_pc))
		return;
	if (!unit_address(unit, high, &high_pc))
		high_pc = low_pc + high->number;
	note_range(&list, low_pc, high_pc);
}
