/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a recording that --from and --to select. Slices of time are not divided, nor are
 * epochs without slices: one that overlaps the part is taken whole. So more than the part may be
 * taken, and the selection keeps account of that.
 */
#ifndef REPORT_MODEL_TIMESPAN_H
#define REPORT_MODEL_TIMESPAN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "format/prof.h"

/* A moment as a user gives it. */
struct time_point {
	enum { TIME_NONE = 0, TIME_SINCE_START, TIME_OF_DAY, TIME_OF_DATE, TIME_OF_UTC } kind;
	/* Since the start, since midnight of the day of the start, or since the begin of 1970. */
	uint64_t ns;
};

/*
 * Reads "12.5" or "2m", a time since the start (parse_duration), or "HH:MM:SS" with or without
 * decimals. That is a time of the day on which the recording began, by the clock of its host; hours
 * above 23 belong to later days. "YYYY-MM-DDTHH:MM:SS" names the day, too, and is in UTC with a "Z"
 * at its end. Returns 0 or -EINVAL.
 */
int time_point_parse(const char *text, struct time_point *point);

/* An all-zero timespan selects everything. */
struct timespan {
	struct time_point from, to;
	bool keeps_slots;  /* the model keeps the counts of each epoch apart */
	bool keeps_tids;   /* and those of threads of one name */
	bool keeps_labels; /* and those of requests */
};

/* Why one timespan is not one stretch of time in two recordings. */
enum clock_difference { CLOCKS_AGREE = 0, DAYS_DIFFER, ZONES_DIFFER };

/* Compares the clocks of two recordings as far as @span needs them. */
enum clock_difference timespan_compare_clocks(const struct timespan *span,
					      const struct prof_meta *a, const struct prof_meta *b);

/* Returns true if @span names a time of a clock, and not seconds since the start alone. */
bool timespan_needs_clock(const struct timespan *span);

/* A timespan in a recording, and the epochs that were taken for it. */
struct selection {
	uint64_t from_ns, to_ns; /* since the start of the recording: [from_ns, to_ns) */
	uint64_t interval_ns;
	uint64_t begin_ns, end_ns; /* range of the epochs and slices that were taken */
	uint64_t nr;               /* number of the epochs that were taken */
};

void selection_init(struct selection *selection, const struct timespan *span,
		    const struct prof_meta *meta);

/*
 * Returns true if @epoch, of a recording with intervals of @interval_ns, ends so long after the
 * interval that it began in that it stands for more than that interval. A slow reader of the
 * recorder's output holds the recorder up, and so does a busy host.
 */
bool epoch_is_held_up(const struct prof_epoch *epoch, uint64_t interval_ns);

/*
 * Returns true if @epoch overlaps the span, and notes it, or its slices that do, as taken. In a
 * recording with intervals, an epoch counts as beginning and ending with its interval, even if the
 * recorder wrote it a little late. If the recorder was held up, it ends when it ended.
 */
bool selection_take(struct selection *selection, const struct prof_epoch *epoch);

/* Returns true if the span leaves out a part of @epoch, which has slices. */
bool selection_divides(const struct selection *selection, const struct prof_epoch *epoch);

/* Returns true if slice @slice of @epoch overlaps the span. */
bool selection_takes_slice(const struct selection *selection, const struct prof_epoch *epoch,
			   uint32_t slice);

/* Returns 0, or -ENOENT with @err set if the user selected a part and it holds no samples. */
int selection_check(const struct selection *selection, const char *name, struct err *err);

/* Returns true if noticeably more was taken than the user asked for. */
bool selection_is_exceeded(const struct selection *selection);

/* Returns the seconds east of UTC of @meta's host, 0 if unknown. */
int64_t local_offset_s(const struct prof_meta *meta);

#endif
