/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a recording that --from and --to ask for. Epochs are not divided: those that overlap
 * it are taken whole, so what is taken may be more, which is kept account of.
 */
#ifndef REPORT_MODEL_TIMESPAN_H
#define REPORT_MODEL_TIMESPAN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "format/prof.h"

/* A moment as a user gives it. */
struct time_point {
	enum { TIME_NONE = 0, TIME_SINCE_START, TIME_OF_DAY } kind;
	uint64_t ns; /* since the start, or since midnight of the day of the start */
};

/*
 * "12.5": seconds since the start; "HH:MM:SS", with decimals or not: of the day on which the
 * recording began, by the clock of its host; hours above 23 are of the days that follow. Returns 0
 * or -EINVAL.
 */
int time_point_parse(const char *text, struct time_point *point);

/* All zero: everything. */
struct timespan {
	struct time_point from, to;
};

/* A timespan in a recording, and what was taken of it. */
struct selection {
	uint64_t from_ns, to_ns; /* since the start of the recording: [from_ns, to_ns) */
	uint64_t interval_ns;
	uint64_t begin_ns, end_ns; /* of the epochs that were taken */
	uint64_t nr;               /* how many those are */
};

void selection_init(struct selection *selection, const struct timespan *span,
		    const struct prof_meta *meta);

/*
 * Does @epoch overlap the span? If so, it is noted as taken. In a recording with intervals, one is
 * taken to begin and end where its interval does, not when the recorder got round to it.
 */
bool selection_take(struct selection *selection, const struct prof_epoch *epoch);

/* Returns 0, or -ENOENT with @err set when a part was asked for and nothing was there. */
int selection_check(const struct selection *selection, const char *name, struct err *err);

/* Is what was taken noticeably more than what was asked for? */
bool selection_is_exceeded(const struct selection *selection);

/* Seconds east of UTC that @meta's host had, 0 when it is not known. */
int64_t local_offset_s(const struct prof_meta *meta);

#endif
