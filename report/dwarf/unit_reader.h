/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up the addresses of one unit after the other. Each thread has a reader of its own. */
#ifndef REPORT_DWARF_UNIT_READER_H
#define REPORT_DWARF_UNIT_READER_H

#include "report/dwarf/dwarf_names.h"
#include "report/dwarf/inline_tree.h"
#include "report/dwarf/line_program.h"
#include "report/dwarf/source_frames.h"

/* unit_reader_init makes one. */
struct unit_reader {
	struct dwarf_work work;
	struct abbrev_cache abbrevs;
	struct abbrev_table scratch; /* for the first entries of units */
	struct dwarf_names names;
	struct line_table lines;
	struct inline_tree tree;
	VEC(struct unit_hit) hits;   /* of the unit: filled by the caller */
	struct source_frames frames; /* that were found, of all units */
};

/* The frames of a hit in reader->frames. */
struct unit_answer {
	uint32_t first, nr;
};

/* Returns 0 or -ENOMEM. */
int unit_reader_init(struct unit_reader *reader, struct dwarf_meter *meter);

void unit_reader_deinit(struct unit_reader *reader);

/*
 * Looks up reader->hits, sorted, in @unit. @split is the file with the rest of the unit, or NULL;
 * its units have been read, and it may be closed afterwards. Sets answers[hit] for each
 * unit_hit.hit. Errors are in reader->work.
 */
void unit_reader_look_up(struct unit_reader *reader, const struct dwarf_unit *unit,
			 struct dwarf_file *split, struct unit_answer *answers);

#endif
