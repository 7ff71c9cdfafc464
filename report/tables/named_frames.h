/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for the frames of tables that exist, from files: recordings have no names of most files. A
 * frame has one best name. So a name that a recording has stays, unless the file has its whole
 * symbol table.
 */
#ifndef REPORT_TABLES_NAMED_FRAMES_H
#define REPORT_TABLES_NAMED_FRAMES_H

#include "report/symbols/symbolise.h"
#include "report/tables/table_frames.h"

struct naming_request {
	struct table_lines *frames, *symbols; /* of the tables, to be read */
	const struct debug_roots *roots;
	struct elf_pairs *pairs;
	bool has_inlines; /* rows of inlined functions, too */
	bool has_lines;   /* rows have files and lines */
	struct demangler_account *account;
};

/* Numbers of frames, and of objects whose files are nowhere. */
struct naming_result {
	uint64_t nr_frames, nr_by_file, nr_by_recording, nr_unnamed;
	uint64_t nr_objects, nr_missing;
};

/* The fields of a line of the table of symbols. */
#define TABLE_SYMBOL_FIELDS 8

/*
 * Writes the table of symbols to @out: the rows that it has, but those of files, and rows of files
 * anew. Returns 0 or a negative errno with @err set.
 */
int named_frames_write(const struct naming_request *request, struct textbuf *out,
		       struct naming_result *result, struct err *err);

#endif
