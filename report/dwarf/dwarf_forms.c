// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/dwarf/dwarf_forms.h"

#include "elf/dwarf_bytes.h"
#include "common/minmax.h"
#include "report/dwarf/dwarf_constants.h"

/* Longer texts count as damaged. Also the limit for names in symbol tables. */
#define TEXT_BYTES_MAX 65535u

/* Size plus one of each form whose size is fixed, whatever the unit; 0 for all others. */
static const uint8_t plain_sizes[] = {
	[DW_FORM_data2] = 3,        [DW_FORM_data4] = 5,          [DW_FORM_data8] = 9,
	[DW_FORM_data1] = 2,        [DW_FORM_flag] = 2,           [DW_FORM_ref1] = 2,
	[DW_FORM_ref2] = 3,         [DW_FORM_ref4] = 5,           [DW_FORM_ref8] = 9,
	[DW_FORM_flag_present] = 1, [DW_FORM_ref_sup4] = 5,       [DW_FORM_data16] = 17,
	[DW_FORM_ref_sig8] = 9,     [DW_FORM_implicit_const] = 1, [DW_FORM_ref_sup8] = 9,
	[DW_FORM_strx1] = 2,        [DW_FORM_strx2] = 3,          [DW_FORM_strx3] = 4,
	[DW_FORM_strx4] = 5,        [DW_FORM_addrx1] = 2,         [DW_FORM_addrx2] = 3,
	[DW_FORM_addrx3] = 4,       [DW_FORM_addrx4] = 5,
};

int form_fixed_size(uint16_t form, struct dwarf_sizes sizes)
{
	switch (form) {
	case DW_FORM_addr:
		return sizes.address;
	case DW_FORM_ref_addr:
		return sizes.ref_address;
	case DW_FORM_strp:
	case DW_FORM_sec_offset:
	case DW_FORM_strp_sup:
	case DW_FORM_line_strp:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return sizes.offset;
	default:
		return form < sizeof(plain_sizes) ? plain_sizes[form] - 1 : -1;
	}
}

struct dwarf_text dwarf_text_read(struct cursor *c)
{
	size_t left = min_u64(cursor_left(c), TEXT_BYTES_MAX);
	const uint8_t *end = left ? memchr(c->p, '\0', left) : NULL;
	struct dwarf_text text = {.s = (const char *)c->p};

	if (!end) {
		cursor_fail(c);
		return (struct dwarf_text){0};
	}
	text.len = end - c->p;
	c->p = end + 1;
	return text;
}

struct dwarf_text dwarf_text_at(const struct dwarf_file *file, enum dwarf_section section,
				uint64_t off)
{
	struct cursor c = dwarf_cursor(file, section, off);

	return dwarf_text_read(&c);
}

static void skip_bytes(struct cursor *c, uint64_t nr)
{
	if (nr > cursor_left(c))
		cursor_fail(c);
	else
		c->p += nr;
}

/* Passes a block, and returns its size. */
static uint64_t read_block(struct cursor *c, uint64_t size)
{
	skip_bytes(c, size);
	return size;
}

static struct dwarf_value read_text(struct cursor *c)
{
	struct dwarf_text text = dwarf_text_read(c);

	return (struct dwarf_value){.number = text.len, .text = text.s, .form = DW_FORM_string};
}

/* Reads a form whose size depends on its contents. */
static struct dwarf_value read_variable(struct cursor *c, uint16_t form)
{
	struct dwarf_value value = {.form = form};

	switch (form) {
	case DW_FORM_block1:
		value.number = read_block(c, dwarf_u8(c));
		break;
	case DW_FORM_block2:
		value.number = read_block(c, dwarf_fixed(c, 2));
		break;
	case DW_FORM_block4:
		value.number = read_block(c, dwarf_fixed(c, 4));
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		value.number = read_block(c, dwarf_uleb(c));
		break;
	case DW_FORM_string:
		return read_text(c);
	case DW_FORM_sdata:
		value.number = dwarf_sleb(c);
		break;
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		value.number = dwarf_uleb(c);
		break;
	default:
		cursor_fail(c);
	}
	return value;
}

struct dwarf_value form_read(struct cursor *c, uint16_t form, int64_t implicit,
			     struct dwarf_sizes sizes)
{
	int size = form_fixed_size(form, sizes);

	if (form == DW_FORM_indirect) {
		uint64_t real = dwarf_uleb(c);

		/* A form that is named in the entry has no value in the abbreviation. */
		if (real == DW_FORM_indirect || real == DW_FORM_implicit_const ||
		    real > UINT16_MAX) {
			cursor_fail(c);
			return (struct dwarf_value){0};
		}
		form = real;
		size = form_fixed_size(form, sizes);
	}
	if (form == DW_FORM_implicit_const)
		return (struct dwarf_value){.number = implicit, .form = form};
	if (form == DW_FORM_flag_present)
		return (struct dwarf_value){.number = 1, .form = form};
	if (size < 0)
		return read_variable(c, form);
	if (size > 8) {
		skip_bytes(c, size);
		return (struct dwarf_value){.form = form};
	}
	return (struct dwarf_value){.number = dwarf_fixed(c, size), .form = form};
}

void form_skip(struct cursor *c, uint16_t form, struct dwarf_sizes sizes)
{
	form_read(c, form, 0, sizes);
}
