/* SPDX-License-Identifier: GPL-2.0-or-later */
/* profrep tables --symbols: names for the frames of a directory that profrep tables wrote. */
#ifndef REPORT_COMMANDS_TABLE_NAMES_H
#define REPORT_COMMANDS_TABLE_NAMES_H

#include "report/commands/command_io.h"

struct table_names_request {
	const char *directory;
	bool has_inlines, has_lines;
	const struct search_choice *search;
};

/*
 * Writes the table of symbols of the directory anew, and tells how many frames have names. A
 * failure leaves the table as it was. Returns 0 or a negative errno with @err set.
 */
int table_names_write(const struct table_names_request *request, struct command_io *io,
		      struct err *err);

#endif
