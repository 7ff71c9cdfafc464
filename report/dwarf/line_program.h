/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line table of a unit. A program makes its rows, sorted by address within each sequence.
 * Nobody stores the rows: while the program runs, the sorted addresses that are looked for take
 * theirs.
 */
#ifndef REPORT_DWARF_LINE_PROGRAM_H
#define REPORT_DWARF_LINE_PROGRAM_H

#include "report/dwarf/line_table.h"

/* No file. */
#define LINE_FILE_NONE UINT32_MAX

/* An address that is looked for in a unit. */
struct unit_hit {
	uint64_t addr;
	uint32_t hit;  /* for the caller */
	uint32_t node; /* for inline_tree.h */
	uint32_t file; /* index in the table, LINE_FILE_NONE without a row */
	uint32_t line; /* 0: of no line */
};

/*
 * Reads the table of @unit, and gives each of the @nr hits, sorted by address, the row that covers
 * it, of several the first. The program ends when all hits have one, or where it is damaged. The
 * hits have LINE_FILE_NONE before. Errors are in @work.
 */
void line_program_run(struct line_table *table, const struct dwarf_unit *unit,
		      struct dwarf_work *work, struct unit_hit *hits, size_t nr);

#endif
