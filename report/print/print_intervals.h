/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording an interval at a time: each is read, resolved, printed below its time and forgotten
 * before the next one, so that memory is bounded by the largest, and a stream is printed while it
 * is recorded. Without intervals in the recording, each epoch stands for one.
 */
#ifndef REPORT_PRINT_PRINT_INTERVALS_H
#define REPORT_PRINT_PRINT_INTERVALS_H

#include "common/err.h"
#include "report/report_options.h"
#include "report/print/source.h"
#include "report/text/textbuf.h"
#include "report/view/rows.h"

/*
 * Reads opts->files[0] into @source and prints its intervals, each flushed as soon as it is known
 * to be whole. Those without samples are printed, too: from the first that was asked for to the
 * end. Times are by the clock of the host that recorded. Returns 0 or -errno with @err set.
 */
int print_intervals(const struct report_options *opts, struct source *source,
		    const struct debug_roots *roots, struct textbuf *out,
		    struct walk_summary *summary, struct err *err);

#endif
