/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output of a command: the text for stdout, and the warnings for stderr, which main prints
 * after it.
 */
#ifndef REPORT_COMMANDS_COMMAND_IO_H
#define REPORT_COMMANDS_COMMAND_IO_H

#include "common/err.h"
#include "report/print/source.h"
#include "report/text/textbuf.h"
#include "report/view/rows.h"

struct command_io {
	struct textbuf out;
	struct textbuf warnings; /* whole lines */
	bool is_incomplete; /* a recording was cut short or is damaged; its good part is printed */
};

/* Warns of the part of @rec that was read: is it more than was asked for, is it all? */
void command_io_add_recording(struct command_io *io, const struct recording *rec);

/*
 * Ends a report of @nr sources: writes it, and warns of stacks, samples and parts of recordings
 * that it lacks. @summary is NULL if no stacks were printed. Returns 0 or a negative errno with
 * @err set.
 */
int command_io_finish(struct command_io *io, const struct source *sources, size_t nr,
		      const struct rows_summary *summary, struct err *err);

#endif
