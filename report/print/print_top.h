/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints the most frequent functions, processes and so on as a table with bars. */
#ifndef REPORT_PRINT_PRINT_TOP_H
#define REPORT_PRINT_PRINT_TOP_H

#include "report/text/terminal.h"
#include "report/text/json_writer.h"
#include "report/print/live_screen.h"
#include "report/print/top_counts.h"

struct top_layout {
	struct top_choice choice;
	uint64_t nr_lines;          /* at most, below the title */
	double seconds;             /* that the rows lasted; 0: as long as the recording */
	bool is_filtered;           /* the report left out rows */
	bool is_live;               /* no empty line above the title */
	struct live_screen *screen; /* gets a note of each row; NULL: nobody does */
	struct top_counts *sum;     /* the counts are added to it, unless it is NULL */
	struct terminal terminal;
};

/*
 * Prints the things of @layout in the rows of the event of @p, below a line that says how busy the
 * host was, and one about leaves that are none. A bar has # for self and - for the
 * rest of total. Adds the stacks that rows lack to @summary. Returns 0, -ENOMEM, or -ENODATA if the
 * recording does not tell CPUs.
 */
int print_top(const struct printout *p, const struct top_layout *layout,
	      struct rows_summary *summary);

/* Prints the same of what @sum has. */
void print_top_sum(const struct printout *p, const struct top_layout *layout,
		   struct top_counts *sum);

/* Appends the same as members of JSON: all numbers are raw, and shares are left to the reader. */
int print_top_json(const struct printout *p, const struct top_layout *layout, struct json *json,
		   struct rows_summary *summary);

#endif
