// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/dwarf/line_program.h"

#include "elf/dwarf_bytes.h"
#include "common/search.h"
#include "report/dwarf/dwarf_constants.h"
#include "report/dwarf/line_header.h"

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
