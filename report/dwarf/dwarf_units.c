// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/dwarf/dwarf_units.h"

#include "elf/dwarf_bytes.h"
#include "common/search.h"
#include "report/dwarf/dwarf_constants.h"

/* A length of this value says that the unit is of 64-bit DWARF, and its length follows. */
#define LENGTH_OF_64_BIT 0xffffffffu

static bool is_proper(const struct dwarf_unit *unit)
{
	return unit->version >= 2 && unit->version <= 5 &&
	       (unit->sizes.address == 4 || unit->sizes.address == 8);
}

/* Reads the part of the header that follows its length. */
static void read_header(struct cursor *c, struct dwarf_unit *unit)
{
	unit->version = dwarf_fixed(c, 2);
	unit->type = DW_UT_compile;
	if (unit->version >= 5) {
		unit->type = dwarf_u8(c);
		unit->sizes.address = dwarf_u8(c);
		unit->abbrev_off = dwarf_fixed(c, unit->sizes.offset);
		if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile)
			unit->dwo_id = dwarf_fixed(c, 8);
		else if (unit->type == DW_UT_type || unit->type == DW_UT_split_type)
			c->p += cursor_left(c) < 8u + unit->sizes.offset ? cursor_left(c)
									 : 8u + unit->sizes.offset;
	} else {
		unit->abbrev_off = dwarf_fixed(c, unit->sizes.offset);
		unit->sizes.address = dwarf_u8(c);
	}
	unit->sizes.ref_address = unit->version == 2 ? unit->sizes.address : unit->sizes.offset;
}

int dwarf_units_read(struct dwarf_file *file)
{
	const struct dwarf_bytes *info = &file->sections[DWARF_INFO];
	struct cursor c = dwarf_cursor(file, DWARF_INFO, 0);

	while (cursor_left(&c)) {
		struct dwarf_unit unit = {.file = file, .main_file = file, .off = c.p - info->data};
		uint64_t length = dwarf_fixed(&c, 4);
		struct cursor header;

		unit.sizes.offset = length == LENGTH_OF_64_BIT ? 8 : 4;
		if (length == LENGTH_OF_64_BIT)
			length = dwarf_fixed(&c, 8);
		if (c.bad || length > cursor_left(&c))
			break;
		header = (struct cursor){.p = c.p, .end = c.p + length};
		c.p += length;
		unit.end = c.p - info->data;
		read_header(&header, &unit);
		unit.die_off = header.p - info->data;
		if (!header.bad && is_proper(&unit) && vec_push(&file->units, unit))
			return -ENOMEM;
	}
	return 0;
}

void dwarf_units_deinit(struct dwarf_file *file)
{
	vec_free(&file->units);
}

/* Returns the unit of @file that has @off of .debug_info, NULL if none has. */
static const struct dwarf_unit *find_unit(const struct dwarf_file *file, uint64_t off)
{
	size_t at = search_first(file->units.nr, i, file->units.data[i].end > off);
	const struct dwarf_unit *unit = &file->units.data[at];

	return at < file->units.nr && off >= unit->die_off ? unit : NULL;
}

const struct abbrev_table *unit_abbrevs(const struct dwarf_unit *unit, struct abbrev_cache *cache,
					struct dwarf_work *work)
{
	return abbrev_cache_get(cache, work, unit->file, unit->abbrev_off, unit->sizes);
}

struct cursor unit_cursor(const struct dwarf_unit *unit, uint64_t off)
{
	const uint8_t *data = unit->file->sections[DWARF_INFO].data;

	if (off < unit->die_off || off > unit->end)
		return dwarf_bad_cursor();
	return (struct cursor){.p = data + off, .end = data + unit->end};
}

void die_read(struct cursor *c, const struct dwarf_unit *unit, const struct abbrev_table *table,
	      const struct abbrev *abbrev, struct die *die)
{
	die->abbrev = abbrev;
	die->has = 0;
	for (uint32_t i = 0; i < abbrev->nr_attrs; i++) {
		const struct abbrev_attr *attr = &table->attrs.data[abbrev->first_attr + i];
		struct dwarf_value value;

		if (attr->slot == NR_DIE_SLOTS && attr->size >= 0) {
			if (cursor_left(c) < (size_t)attr->size)
				cursor_fail(c);
			else
				c->p += attr->size;
			continue;
		}
		value = form_read(c, attr->form, attr->implicit, unit->sizes);
		if (attr->slot == NR_DIE_SLOTS)
			continue;
		die->values[attr->slot] = value;
		die->has |= UINT32_C(1) << attr->slot;
	}
}

bool die_read_at(const struct dwarf_unit *unit, const struct abbrev_table *table, uint64_t off,
		 struct die *die)
{
	struct cursor c = unit_cursor(unit, off);
	const struct abbrev *abbrev = abbrev_find(table, dwarf_uleb(&c));

	if (c.bad || !abbrev)
		return false;
	die->off = off;
	die_read(&c, unit, table, abbrev, die);
	return !c.bad;
}

bool die_pass_children(struct cursor *c, const struct dwarf_unit *unit, const struct die *die)
{
	const struct dwarf_unit *target;
	struct cursor sibling;
	uint64_t off;

	if (!die_has(die, DIE_SIBLING) ||
	    !unit_reference(unit, &die->values[DIE_SIBLING], &target, &off) || target != unit)
		return false;
	sibling = unit_cursor(unit, off);
	if (sibling.bad || sibling.p < c->p)
		return false;
	*c = sibling;
	return true;
}

static uint64_t number_of(const struct die *die, enum die_slot slot, uint64_t otherwise)
{
	return die_has(die, slot) ? die->values[slot].number : otherwise;
}

static bool has_scopes(uint64_t language)
{
	switch (language) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C17:
	case DW_LANG_Go:
	case DW_LANG_Mips_Assembler:
		return false;
	default:
		return true;
	}
}

/* Reads the first entry alone. */
static bool read_first(const struct dwarf_unit *unit, struct abbrev_table *scratch,
		       struct dwarf_work *work, struct die *die)
{
	struct cursor c = unit_cursor(unit, unit->die_off);
	uint64_t code = dwarf_uleb(&c);
	const struct abbrev *abbrev;

	scratch->file = unit->file;
	scratch->off = unit->abbrev_off;
	scratch->sizes = unit->sizes;
	abbrev = c.bad ? NULL : abbrev_read_one(scratch, work, code);
	if (!abbrev)
		return false;
	die->off = unit->die_off;
	die_read(&c, unit, scratch, abbrev, die);
	return !c.bad;
}

bool unit_read_die(struct dwarf_unit *unit, struct abbrev_table *scratch, struct dwarf_work *work,
		   struct die *die)
{
	/* Without the attribute: the first entry after the header of the table. */
	uint64_t first = unit->version >= 5 ? 2 * unit->sizes.offset : 0;

	if (!read_first(unit, scratch, work, die))
		return false;
	unit->str_offsets_base = number_of(die, DIE_STR_OFFSETS_BASE, first);
	unit->addr_base = number_of(die, DIE_ADDR_BASE, unit->version >= 5 ? 8 : 0);
	unit->rnglists_base = number_of(die, DIE_RNGLISTS_BASE, 0);
	unit->gnu_ranges_base = number_of(die, DIE_GNU_RANGES_BASE, 0);
	unit->has_line = die_has(die, DIE_STMT_LIST);
	unit->line_off = number_of(die, DIE_STMT_LIST, 0);
	unit->has_scopes = has_scopes(number_of(die, DIE_LANGUAGE, 0));
	unit->dwo_id = number_of(die, DIE_DWO_ID, unit->dwo_id);
	unit->has_dwo = die_has(die, DIE_DWO_NAME);
	unit->name = die_text(unit, die, DIE_NAME);
	unit->comp_dir = die_text(unit, die, DIE_COMP_DIR);
	unit->dwo_name = die_text(unit, die, DIE_DWO_NAME);
	if (!die_has(die, DIE_LOW_PC) ||
	    !unit_address(unit, &die->values[DIE_LOW_PC], &unit->low_pc))
		unit->low_pc = 0;
	return true;
}

/* Returns the text that the unit's table of string offsets has at @index. */
static struct dwarf_text indexed_text(const struct dwarf_unit *unit, uint64_t index)
{
	struct cursor c = dwarf_cursor(unit->file, DWARF_STR_OFFSETS, unit->str_offsets_base);
	uint64_t off;

	if (index >= cursor_left(&c) / unit->sizes.offset)
		return (struct dwarf_text){0};
	c.p += index * unit->sizes.offset;
	off = dwarf_fixed(&c, unit->sizes.offset);
	return dwarf_text_at(unit->file, DWARF_STR, off);
}

struct dwarf_text unit_text(const struct dwarf_unit *unit, const struct dwarf_value *value)
{
	switch (value->form) {
	case DW_FORM_string:
		return (struct dwarf_text){value->text, value->number};
	case DW_FORM_strp:
		return dwarf_text_at(unit->file, DWARF_STR, value->number);
	case DW_FORM_line_strp:
		return dwarf_text_at(unit->file, DWARF_LINE_STR, value->number);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		return indexed_text(unit, value->number);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		if (unit->file->alt)
			return dwarf_text_at(unit->file->alt, DWARF_STR, value->number);
		break;
	}
	return (struct dwarf_text){0};
}

struct dwarf_text die_text(const struct dwarf_unit *unit, const struct die *die, enum die_slot slot)
{
	return die_has(die, slot) ? unit_text(unit, &die->values[slot]) : (struct dwarf_text){0};
}

bool unit_address_at(const struct dwarf_unit *unit, uint64_t index, uint64_t *addr)
{
	struct cursor c = dwarf_cursor(unit->main_file, DWARF_ADDR, unit->addr_base);

	if (index >= cursor_left(&c) / unit->sizes.address)
		return false;
	c.p += index * unit->sizes.address;
	*addr = dwarf_fixed(&c, unit->sizes.address);
	return true;
}

bool unit_address(const struct dwarf_unit *unit, const struct dwarf_value *value, uint64_t *addr)
{
	switch (value->form) {
	case DW_FORM_addr:
		*addr = value->number;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return unit_address_at(unit, value->number, addr);
	default:
		return false;
	}
}

bool unit_reference(const struct dwarf_unit *unit, const struct dwarf_value *value,
		    const struct dwarf_unit **target, uint64_t *off)
{
	const struct dwarf_unit *found = unit;

	switch (value->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		if (value->number > unit->end - unit->off)
			return false;
		*off = unit->off + value->number;
		break;
	case DW_FORM_ref_addr:
		*off = value->number;
		found = find_unit(unit->file, *off);
		break;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		*off = value->number;
		found = unit->file->alt ? find_unit(unit->file->alt, *off) : NULL;
		break;
	default:
		return false;
	}
	*target = found;
	return found;
}
