// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/dwarf/line_header.h"

#include "elf/dwarf_bytes.h"
#include "report/dwarf/dwarf_constants.h"

#define LENGTH_OF_64_BIT 0xffffffffu

/* The fields of a directory or a file in DWARF 5. Compilers use up to five. */
#define FIELDS_MAX 16

struct entry_format {
	uint8_t nr;
	uint16_t content[FIELDS_MAX], form[FIELDS_MAX];
};

int line_header_define_file(struct line_table *table, struct cursor *c)
{
	struct line_file file = {.name = dwarf_text_read(c)};

	file.dir = dwarf_uleb(c);
	dwarf_uleb(c); /* time */
	dwarf_uleb(c); /* size */
	return c->bad ? 0 : vec_push(&table->files, file);
}

/* Reads the tables of DWARF before 5: texts, and an empty one after the last. */
static int read_old_tables(struct line_table *table, struct cursor *c)
{
	while (cursor_left(c) && *c->p) {
		struct dwarf_text dir = dwarf_text_read(c);

		if (vec_push(&table->dirs, dir))
			return -ENOMEM;
	}
	dwarf_u8(c);
	while (cursor_left(c) && *c->p)
		if (line_header_define_file(table, c))
			return -ENOMEM;
	return 0;
}

/* Every form that is allowed here takes a byte at least, so no count is larger than the table. */
static bool is_entry_form(uint64_t form)
{
	switch (form) {
	case DW_FORM_string:
	case DW_FORM_line_strp:
	case DW_FORM_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_udata:
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_data16:
	case DW_FORM_block:
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
		return true;
	default:
		return false;
	}
}

static bool read_format(struct entry_format *format, struct cursor *c)
{
	format->nr = dwarf_u8(c);
	if (format->nr > FIELDS_MAX)
		return false;
	for (uint8_t i = 0; i < format->nr; i++) {
		uint64_t content = dwarf_uleb(c), form = dwarf_uleb(c);

		if (!is_entry_form(form))
			return false;
		/* Contents that a vendor added are passed. */
		format->content[i] = content > UINT16_MAX ? 0 : content;
		format->form[i] = form;
	}
	return !c->bad;
}

/* Reads an entry of DWARF 5: a directory, which has a name alone, or a file. */
static struct line_file read_entry(const struct dwarf_unit *unit, const struct entry_format *format,
				   struct dwarf_sizes sizes, struct cursor *c)
{
	struct line_file file = {0};

	for (uint8_t i = 0; i < format->nr; i++) {
		struct dwarf_value value = form_read(c, format->form[i], 0, sizes);

		if (format->content[i] == DW_LNCT_path)
			file.name = unit_text(unit, &value);
		else if (format->content[i] == DW_LNCT_directory_index)
			file.dir = value.number;
	}
	return file;
}

/* Reads the tables of DWARF 5: each has a format and a count. */
static int read_new_tables(struct line_table *table, struct dwarf_sizes sizes, struct cursor *c)
{
	struct entry_format format;
	uint64_t count;

	if (!read_format(&format, c))
		return -EBADMSG;
	count = dwarf_uleb(c);
	for (uint64_t i = 0; i < count && format.nr && !c->bad; i++)
		if (vec_push(&table->dirs, read_entry(table->unit, &format, sizes, c).name))
			return -ENOMEM;
	if (!read_format(&format, c))
		return -EBADMSG;
	count = dwarf_uleb(c);
	for (uint64_t i = 0; i < count && format.nr && !c->bad; i++)
		if (vec_push(&table->files, read_entry(table->unit, &format, sizes, c)))
			return -ENOMEM;
	return 0;
}

/* Reads the sizes that the program uses. */
static bool read_sizes(struct line_header *header, uint8_t version, struct cursor *c)
{
	header->min_inst_length = dwarf_u8(c);
	if (version >= 4)
		dwarf_u8(c); /* operations of an instruction: 1, but for VLIW machines */
	dwarf_u8(c);         /* whether a row is a statement at first */
	header->line_base = dwarf_u8(c);
	header->line_range = dwarf_u8(c);
	header->opcode_base = dwarf_u8(c);
	for (unsigned int i = 1; i < header->opcode_base; i++)
		header->operands[i] = dwarf_u8(c);
	return !c->bad && header->line_range && header->opcode_base;
}

bool line_header_read(struct line_header *header, struct line_table *table,
		      const struct dwarf_unit *unit, struct dwarf_work *work,
		      struct cursor *program)
{
	struct cursor c = dwarf_cursor(unit->main_file, DWARF_LINE, unit->line_off), tables;
	uint64_t length = dwarf_fixed(&c, 4);
	struct dwarf_sizes sizes = unit->sizes;
	int ret;

	sizes.offset = length == LENGTH_OF_64_BIT ? 8 : 4;
	if (sizes.offset == 8)
		length = dwarf_fixed(&c, 8);
	c = cursor_sub(&c, length);
	table->version = dwarf_fixed(&c, 2);
	if (c.bad || table->version < 2 || table->version > 5 || !dwarf_work_charge(work, length))
		return false;
	if (table->version >= 5)
		dwarf_fixed(&c, 2); /* sizes of an address and of a segment */
	tables = cursor_sub(&c, dwarf_fixed(&c, sizes.offset));
	if (!read_sizes(header, table->version, &tables))
		return false;
	if (table->version >= 5)
		ret = read_new_tables(table, sizes, &tables);
	else
		ret = read_old_tables(table, &tables);
	if (ret == -ENOMEM)
		dwarf_work_no_memory(work);
	*program = c;
	return !ret;
}
