/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The times of rows: the begin of a stretch of UTC that starts at a multiple of its length. So the
 * stretches of all hosts are the same, and a table has few different times.
 */
#ifndef REPORT_TABLES_SLICE_TIMES_H
#define REPORT_TABLES_SLICE_TIMES_H

#include "common/vec.h"
#include "format/prof.h"
#include "report/text/textbuf.h"

struct slice_time {
	uint64_t begin_ms;  /* since 1970 */
	uint64_t length_ms; /* fits 32 bits */
};

/*
 * Returns the time of slice @slice of @epoch, of the recording that @meta describes; @slice is 0 if
 * the epoch has no slices. A time has at least @length_ns. The middle of the slice counts.
 */
struct slice_time slice_time_make(const struct prof_meta *meta, const struct prof_epoch *epoch,
				  uint32_t slice, uint64_t length_ns);

/* Appends a time of UTC: "2026-11-22 15:58:29.077". */
void slice_time_put(struct textbuf *out, uint64_t ms);

#endif
