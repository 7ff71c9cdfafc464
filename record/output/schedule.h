/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The times at which the recorder asks for names, writes an epoch, ends an interval, begins a new
 * file, shows the status line or ends the run. All times are CLOCK_MONOTONIC.
 */
#ifndef RECORD_OUTPUT_SCHEDULE_H
#define RECORD_OUTPUT_SCHEDULE_H

#include <stdint.h>

#define SCHEDULE_NEVER UINT64_MAX

/* Lengths of time; 0: none. */
struct schedule_lengths {
	uint64_t duration_ns; /* of the run */
	uint64_t interval_ns;
	uint64_t rotate_ns; /* of a recording */
	uint64_t status_ns; /* from one status line to the next */
	uint64_t names_ns;  /* from the start to the first question about names */
};

struct schedule {
	struct schedule_lengths lengths;
	uint64_t start_ns;       /* start of the recording at hand */
	uint64_t epoch_begin_ns; /* start of the epoch at hand */
	uint64_t rotate_due_ns;  /* end of the recording at hand, or SCHEDULE_NEVER */
	uint64_t status_due_ns;  /* time of the next status line, or SCHEDULE_NEVER */
	uint64_t names_due_ns;   /* time of the next question about names, or SCHEDULE_NEVER */
	uint64_t end_ns;         /* end of the run, or SCHEDULE_NEVER */
};

/* Things to do, one bit each. */
enum due {
	DUE_DRAIN = 1,  /* drain the set of maps */
	DUE_EPOCH = 2,  /* write the epoch, after a drain */
	DUE_FILE = 4,   /* end the recording and begin another, after the epoch */
	DUE_STATUS = 8, /* show the status line */
	DUE_END = 16,   /* end the run */
	DUE_NAMES = 32, /* ask for names, after a drain */
};

/* Begins a run at @start_ns. */
void schedule_begin(struct schedule *schedule, uint64_t start_ns,
		    const struct schedule_lengths *lengths);

/*
 * Begins the next recording at @start_ns. Recordings that end when they are due do not drift. A
 * signal or a large file ends a recording before it is due; the next one then lasts its full
 * length.
 */
void schedule_rotate(struct schedule *schedule, uint64_t start_ns);

/* End of the interval in which the epoch at hand began, or SCHEDULE_NEVER. */
uint64_t schedule_interval_end(const struct schedule *schedule);

/*
 * The names that the epoch at hand needs so far were asked for at @now_ns. Most names of a
 * recording are needed in its first seconds, so each pause is as long as all the time before it, up
 * to half a minute.
 */
void schedule_asked(struct schedule *schedule, uint64_t now_ns);

/* When the recorder next has to do anything. */
uint64_t schedule_next(const struct schedule *schedule);

/*
 * Returns the work that is due at @now_ns, bits of enum due. @asked is work that signals and full
 * maps ask for: DUE_DRAIN, DUE_EPOCH, DUE_FILE. DUE_FILE comes with DUE_EPOCH, and DUE_EPOCH with
 * DUE_DRAIN, and so does DUE_NAMES. DUE_END comes alone.
 */
int schedule_due(const struct schedule *schedule, uint64_t now_ns, int asked);

/*
 * How long the recording at hand is to be, rounded to the seconds or milliseconds in which the
 * lengths are given. 0: until a signal or event.
 */
uint64_t schedule_planned_ns(const struct schedule *schedule);

#endif
