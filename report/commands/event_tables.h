/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands that print a table of each event of recordings, below its headline. */
#ifndef REPORT_COMMANDS_EVENT_TABLES_H
#define REPORT_COMMANDS_EVENT_TABLES_H

#include "report/commands/commands.h"

struct event_tables {
	/* Prints the table below the headline. Returns 0 or a negative errno. */
	int (*print)(const struct printout *p, void *ctx, struct rows_summary *summary);
	/* Set: prints JSON instead. Appends the members of the table. */
	int (*print_json)(const struct printout *p, struct json *json, void *ctx,
			  struct rows_summary *summary);
	bool is_json;
	/*
	 * Looks at the source when it is loaded; NULL: nobody does. Returns 0, or a negative errno
	 * with @err set.
	 */
	int (*check)(const void *ctx, const struct source *source, struct err *err);
	/*
	 * print sets it where a table has an answer. If it is false after the last table, nothing
	 * is printed. NULL: every table is an answer.
	 */
	const bool *has_answer;
	void *ctx;
};

/*
 * Loads the recordings of @operands and prints the tables. Functions without a name are shown by
 * their starts, as in folded output. Returns 0 or a negative errno with @err set.
 */
int event_tables_print(const struct event_tables *tables, const struct operands *operands,
		       const struct source_request *request, struct command_io *io,
		       struct err *err);

#endif
