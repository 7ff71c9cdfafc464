/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output of a command: the text for stdout, and the warnings for stderr. main prints the
 * warnings after the text.
 */
#ifndef REPORT_COMMANDS_COMMAND_IO_H
#define REPORT_COMMANDS_COMMAND_IO_H

#include "common/err.h"
#include "report/compare/change_limits.h"
#include "report/print/printers.h"
#include "report/view/source.h"
#include "report/text/textbuf.h"
#include "report/view/rows.h"

struct command_io {
	struct textbuf out;
	struct textbuf warnings; /* whole lines */
	/* a recording is cut short or damaged; the command printed its good part */
	bool is_incomplete;
	enum limits_outcome limits; /* of a comparison */
};

/* Warns of recordings that are left out of @rec, which holds several, or incomplete in it. */
void command_io_add_gaps(struct command_io *io, const struct recording *rec);

/*
 * Warns if the part of @rec that was read is larger than the request, and if the recording is
 * incomplete.
 */
void command_io_add_recording(struct command_io *io, const struct recording *rec);

/*
 * Ends a report of @nr sources. Writes the text, and warns of missing stacks, samples and parts of
 * recordings. @summary is NULL if the report has no stacks. Returns 0 or a negative errno with @err
 * set.
 */
int command_io_finish(struct command_io *io, const struct source *sources, size_t nr,
		      const struct rows_summary *summary, struct err *err);

/*
 * Prints a table of each event of @source by @print, and ends the report. Returns 0 or a negative
 * errno with @err set.
 */
int command_io_print_tables(struct command_io *io, struct source *source, print_table_fn print,
			    struct err *err);

/* The same as JSON, by source_print_json. */
int command_io_print_json(struct command_io *io, struct source *source, print_json_fn print,
			  struct err *err);

#endif
