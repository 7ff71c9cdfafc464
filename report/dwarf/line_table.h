/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that a line table names. */
#ifndef REPORT_DWARF_LINE_TABLE_H
#define REPORT_DWARF_LINE_TABLE_H

#include "report/dwarf/dwarf_units.h"
#include "report/text/string_set.h"

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

#endif
