/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line table of a unit. A program makes its rows, sorted by address within each sequence.
 * Nobody stores the rows: while the program runs, the sorted addresses that are looked for take
 * theirs.
 */
#ifndef REPORT_DWARF_LINE_PROGRAM_H
#define REPORT_DWARF_LINE_PROGRAM_H

#include "report/dwarf/dwarf_units.h"
#include "report/text/string_set.h"

/* A file that a line table names. */
struct line_file {
	struct dwarf_text name;
	uint64_t dir;
	uint32_t path; /* string id + 1; 0: not made yet */
};

/* The files of a unit's table. All zero: none. It can be used for one unit after the other. */
struct line_table {
	const struct dwarf_unit *unit;
	uint8_t version;
	VEC(struct dwarf_text) dirs;
	VEC(struct line_file) files;
};

/*
 * Adds the path of file @index of the table to @paths: with its directory, and that with the
 * directory of the compiler. Returns its id there, 0 for no file. Errors are in @work.
 */
uint32_t line_table_path(struct line_table *table, uint64_t index, struct string_set *paths,
			 struct dwarf_work *work);

void line_table_deinit(struct line_table *table);

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
