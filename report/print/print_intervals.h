/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints a recording an interval at a time. Each interval is read, resolved, printed below its
 * time, and forgotten before the next one is read. So the largest interval bounds memory, and a
 * stream is printed while it is recorded. If the recording has no intervals, each epoch stands for
 * one.
 */
#ifndef REPORT_PRINT_PRINT_INTERVALS_H
#define REPORT_PRINT_PRINT_INTERVALS_H

#include "common/err.h"
#include "report/print/printers.h"
#include "report/view/source.h"
#include "report/text/textbuf.h"
#include "report/view/rows.h"

struct printed_interval {
	const char *time;     /* at which it ended, by the clock of the recorded host */
	uint64_t ns;          /* from the end of the samples before to the end of its own */
	uint64_t held_up_for; /* what it should have, if the recorder was held up; else 0 */
};

/* Another output than stacks for each interval. */
struct interval_table {
	/* Before the first interval is read. @length_ns is 0 if the recording has none. */
	void (*wait)(void *ctx, uint64_t length_ns);
	void (*begin)(void *ctx, struct textbuf *out, const struct printed_interval *interval);
	/* Prints the rows of an event, below its headline. Returns 0 or a negative errno. */
	int (*print)(const struct printout *p, void *ctx, struct rows_summary *summary);
	/* Ends the interval. Returns 0 or a negative errno. NULL: nothing is to be done. */
	int (*end)(void *ctx);
	void *ctx;
};

/*
 * Reads the recording @file into @source and prints its intervals. Flushes each interval as soon as
 * it is known to be whole. Intervals without samples are printed, too, from the first that the
 * request selects to the end. Where the recorder was held up, one interval stands for several, and
 * @summary counts it. @table is NULL for stacks. Times are by the clock of the recorded
 * host. Returns 0 or a negative errno with @err set.
 */
int print_intervals(struct source *source, const char *file, const struct source_request *request,
		    const struct interval_table *table, struct textbuf *out,
		    struct rows_summary *summary, struct err *err);

#endif
