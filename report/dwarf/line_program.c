// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/dwarf/line_program.h"

#include "common/search.h"
#include "elf/dwarf_bytes.h"
#include "report/dwarf/dwarf_constants.h"

static bool is_absolute(struct dwarf_text path)
{
	return path.len && path.s[0] == '/';
}

/* Finds the directory of @file in the table, and the one that it is relative to. */
static void find_dirs(const struct line_table *table, const struct line_file *file,
		      struct dwarf_text *dir, struct dwarf_text *base)
{
	uint64_t index = table->version >= 5 ? file->dir : file->dir - 1;

	*dir = index < table->dirs.nr ? table->dirs.data[index] : (struct dwarf_text){0};
	*base = table->unit->comp_dir;
	if (is_absolute(file->name))
		*dir = (struct dwarf_text){0};
	if (is_absolute(file->name) || is_absolute(*dir))
		*base = (struct dwarf_text){0};
	/* Directory 0 of DWARF 5 is the compiler's. */
	if (dir->len && dir->len == base->len && !memcmp(dir->s, base->s, dir->len))
		*base = (struct dwarf_text){0};
}

/* Joins the parts of a path that are not empty. Returns its length. */
static uint32_t join_path(char *path, size_t size, const struct dwarf_text *parts, size_t nr)
{
	size_t len = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!parts[i].len || parts[i].len >= size - len - 1)
			continue;
		if (len && path[len - 1] != '/')
			path[len++] = '/';
		memcpy(path + len, parts[i].s, parts[i].len);
		len += parts[i].len;
	}
	return len;
}

uint32_t line_table_path(struct line_table *table, uint64_t index, struct string_set *paths,
			 struct dwarf_work *work)
{
	uint64_t at = table->version >= 5 ? index : index - 1;
	struct dwarf_text parts[3];
	struct line_file *file;
	char path[8192];
	uint32_t id;

	if (at >= table->files.nr)
		return 0;
	file = &table->files.data[at];
	if (file->path)
		return file->path - 1;
	find_dirs(table, file, &parts[1], &parts[0]);
	parts[2] = file->name;
	if (string_set_add(paths, path, join_path(path, sizeof(path), parts, 3), &id)) {
		dwarf_work_no_memory(work);
		return 0;
	}
	file->path = id + 1;
	return id;
}

void line_table_deinit(struct line_table *table)
{
	vec_free(&table->dirs);
	vec_free(&table->files);
}

/* The header of a line table: the directories and files, and the sizes that its program uses. */

struct line_header {
	uint8_t min_inst_length;
	int8_t line_base;
	uint8_t line_range; /* not 0 */
	uint8_t opcode_base;
	uint8_t operands[256]; /* of the standard opcodes */
};

#define LENGTH_OF_64_BIT 0xffffffffu

/* The fields of a directory or a file in DWARF 5. Compilers use up to five. */
#define FIELDS_MAX 16

struct entry_format {
	uint8_t nr;
	uint16_t content[FIELDS_MAX], form[FIELDS_MAX];
};

/* Adds a file as DWARF before 5 describes it. Returns 0 or -ENOMEM. */
static int line_header_define_file(struct line_table *table, struct cursor *c)
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

/*
 * Reads the header of the table of @unit, charges the table, and sets @program to its instructions.
 * Returns false if the header is damaged, or with an error in @work.
 */
static bool line_header_read(struct line_header *header, struct line_table *table,
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

struct line_row {
	uint64_t addr;
	uint32_t file, line;
};

struct line_machine {
	const struct line_header *header;
	struct line_table *table;
	struct dwarf_work *work;
	struct unit_hit *hits;
	size_t nr, next;    /* hits from next on are after the last row */
	uint64_t next_addr; /* of hit next; UINT64_MAX if there is none */
	size_t nr_open;     /* hits without a row */
	struct line_row row, last;
	bool has_last;   /* the sequence has begun */
	bool is_usual;   /* the header has the operands of DWARF for the opcodes of run_usual */
	bool is_dropped; /* the sequence is of code that the linker dropped */
	/* What each special opcode adds to the row. */
	uint16_t addresses[256];
	int16_t lines[256];
};

static void set_next(struct line_machine *m, size_t next)
{
	m->next = next;
	m->next_addr = next < m->nr ? m->hits[next].addr : UINT64_MAX;
}

static void begin_sequence(struct line_machine *m)
{
	m->row = (struct line_row){.file = 1, .line = 1};
	m->has_last = false;
	set_next(m, m->nr);
}

/* Gives the hits between the last row and the new one the last row, unless they have one. */
static void give_rows(struct line_machine *m, uint64_t end)
{
	size_t next = m->next;

	for (; next < m->nr && m->hits[next].addr < end; next++) {
		struct unit_hit *hit = &m->hits[next];

		if (hit->file != LINE_FILE_NONE)
			continue;
		hit->file = m->last.file;
		hit->line = m->last.line;
		m->nr_open--;
	}
	dwarf_work_charge(m->work, next - m->next);
	set_next(m, next);
}

/* The rows go on from a lower address, or begin. */
static void begin_rows(struct line_machine *m)
{
	m->is_dropped = !m->has_last ? !m->row.addr : m->is_dropped;
	set_next(m, m->is_dropped ? m->nr : search_first(m->nr, i, m->hits[i].addr >= m->row.addr));
	m->has_last = true;
}

/* The program makes a row. */
static void emit_row(struct line_machine *m)
{
	if (!m->has_last || m->row.addr < m->last.addr)
		begin_rows(m);
	else if (m->next_addr < m->row.addr)
		give_rows(m, m->row.addr);
	m->last = m->row;
}

static void advance_address(struct line_machine *m, uint64_t operations)
{
	m->row.addr += operations * m->header->min_inst_length;
}

/* Most of a program are special opcodes, so their divisions are done once. */
static void prepare_specials(struct line_machine *m)
{
	const struct line_header *header = m->header;

	for (unsigned int opcode = header->opcode_base; opcode < 256; opcode++) {
		uint8_t adjusted = opcode - header->opcode_base;

		m->addresses[opcode] = adjusted / header->line_range * header->min_inst_length;
		m->lines[opcode] = header->line_base + adjusted % header->line_range;
	}
}

static bool has_usual_operands(const struct line_header *header)
{
	return header->opcode_base > DW_LNS_negate_stmt &&
	       header->operands[DW_LNS_set_column] == 1 &&
	       header->operands[DW_LNS_negate_stmt] == 0;
}

/*
 * Runs the opcodes that most of a program consists of, up to one of another kind, or up to a row
 * that emit_row has to look at. Operands of more than a byte are left, too.
 */
static void run_usual(struct line_machine *m, struct cursor *c)
{
	const uint8_t opcode_base = m->header->opcode_base;
	const uint64_t next_addr = m->next_addr;
	struct line_row row = m->row, last = m->last;
	const uint8_t *p = c->p;

	for (; c->end - p >= 2; p++) {
		uint8_t opcode = *p, operand = p[1];

		if (opcode >= opcode_base || opcode == DW_LNS_copy) {
			struct line_row new = row;

			if (opcode != DW_LNS_copy) {
				new.addr += m->addresses[opcode];
				new.line += m->lines[opcode];
			}
			if (new.addr > next_addr || new.addr < last.addr)
				break;
			row = last = new;
		} else if (opcode == DW_LNS_negate_stmt) {
			continue;
		} else if (operand >= 0x80) {
			break;
		} else if (opcode == DW_LNS_set_column) {
			p++;
		} else if (opcode == DW_LNS_advance_line) {
			row.line += operand & 0x40 ? operand - 0x80 : operand;
			p++;
		} else if (opcode == DW_LNS_set_file) {
			row.file = operand;
			p++;
		} else {
			break;
		}
	}
	c->p = p;
	m->row = row;
	m->last = last;
}

static void run_special(struct line_machine *m, uint8_t opcode)
{
	m->row.addr += m->addresses[opcode];
	m->row.line += m->lines[opcode];
	emit_row(m);
}

static void run_extended(struct line_machine *m, struct cursor *c)
{
	uint64_t len = dwarf_uleb(c);
	struct cursor op = cursor_sub(c, len);

	switch (dwarf_u8(&op)) {
	case DW_LNE_end_sequence:
		emit_row(m);
		begin_sequence(m);
		break;
	case DW_LNE_set_address:
		if (cursor_left(&op) == 4 || cursor_left(&op) == 8)
			m->row.addr = dwarf_fixed(&op, cursor_left(&op));
		break;
	case DW_LNE_define_file:
		if (line_header_define_file(m->table, &op))
			dwarf_work_no_memory(m->work);
		break;
	}
}

static void run_standard(struct line_machine *m, struct cursor *c, uint8_t opcode)
{
	switch (opcode) {
	case DW_LNS_copy:
		emit_row(m);
		break;
	case DW_LNS_advance_pc:
		advance_address(m, dwarf_uleb(c));
		break;
	case DW_LNS_advance_line:
		m->row.line += dwarf_sleb(c);
		break;
	case DW_LNS_set_file:
		m->row.file = dwarf_uleb(c);
		break;
	case DW_LNS_const_add_pc:
		advance_address(m, (uint8_t)(255 - m->header->opcode_base) / m->header->line_range);
		break;
	case DW_LNS_fixed_advance_pc:
		m->row.addr += dwarf_fixed(c, 2);
		break;
	default:
		for (uint8_t i = 0; i < m->header->operands[opcode]; i++)
			dwarf_uleb(c);
	}
}

void line_program_run(struct line_table *table, const struct dwarf_unit *unit,
		      struct dwarf_work *work, struct unit_hit *hits, size_t nr)
{
	struct line_header header;
	struct line_machine m;
	struct cursor c;

	vec_clear(&table->dirs);
	vec_clear(&table->files);
	table->unit = unit;
	if (!unit->has_line || !line_header_read(&header, table, unit, work, &c))
		return;
	m.header = &header;
	m.table = table;
	m.work = work;
	m.hits = hits;
	m.nr = m.nr_open = nr;
	m.is_usual = has_usual_operands(&header);
	prepare_specials(&m);
	begin_sequence(&m);
	while (m.nr_open && cursor_left(&c) && !work->error) {
		uint8_t opcode;

		if (m.is_usual && m.has_last)
			run_usual(&m, &c);
		opcode = dwarf_u8(&c);
		if (opcode >= header.opcode_base)
			run_special(&m, opcode);
		else if (opcode)
			run_standard(&m, &c, opcode);
		else
			run_extended(&m, &c);
	}
}
