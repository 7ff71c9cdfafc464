/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header of a line table: the directories and files, and the sizes that its program uses. */
#ifndef REPORT_DWARF_LINE_HEADER_H
#define REPORT_DWARF_LINE_HEADER_H

#include "report/dwarf/line_table.h"

struct line_header {
	uint8_t min_inst_length;
	int8_t line_base;
	uint8_t line_range; /* not 0 */
	uint8_t opcode_base;
	uint8_t operands[256]; /* of the standard opcodes */
};

/*
 * Reads the header of the table of @unit, charges the table, and sets @program to its instructions.
 * Returns false if the header is damaged, or with an error in @work.
 */
bool line_header_read(struct line_header *header, struct line_table *table,
		      const struct dwarf_unit *unit, struct dwarf_work *work,
		      struct cursor *program);

/* Adds a file as DWARF before 5 describes it. Returns 0 or -ENOMEM. */
int line_header_define_file(struct line_table *table, struct cursor *c);

#endif
