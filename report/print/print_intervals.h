/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording an interval at a time: each is read, resolved, printed below its time and forgotten
 * before the next one, so that memory is bounded by the largest, and a stream is printed while it
 * is recorded. Without intervals in the recording, each epoch stands for one.
 */
#ifndef REPORT_PRINT_PRINT_INTERVALS_H
#define REPORT_PRINT_PRINT_INTERVALS_H

#include "common/err.h"
#include "report/print/source.h"
#include "report/text/textbuf.h"
#include "report/view/rows.h"

/*
 * Reads the recording @file into @source and prints its intervals, each flushed as soon as it is
 * known to be whole. Those without samples are printed, too: from the first that was asked for to
 * the end. Times are by the clock of the host that recorded. Returns 0 or -errno with @err set.
 */
int print_intervals(struct source *source, const char *file, const struct source_request *request,
		    struct textbuf *out, struct rows_summary *summary, struct err *err);

#endif
