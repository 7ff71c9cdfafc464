/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When what is due: epochs, intervals, rotation, the end. All times are CLOCK_MONOTONIC. */
#ifndef RECORD_OUTPUT_SCHEDULE_H
#define RECORD_OUTPUT_SCHEDULE_H

#include <stdint.h>

#define SCHEDULE_NEVER UINT64_MAX

struct schedule {
	uint64_t start_ns;       /* of the recording at hand */
	uint64_t epoch_begin_ns; /* of the epoch at hand */
	uint64_t interval_ns;    /* 0: no intervals */
	uint64_t rotate_ns;      /* length of a recording; 0: not by time */
	uint64_t rotate_due_ns;  /* end of the one at hand */
	uint64_t end_ns;         /* of the run; SCHEDULE_NEVER: until stopped */
};

/* Begins a run at @start_ns of these lengths, 0: none. */
void schedule_begin(struct schedule *schedule, uint64_t start_ns, uint64_t duration_ns,
		    uint64_t interval_ns, uint64_t rotate_ns);

/*
 * The next recording begins at @start_ns. Recordings that end when they are due do not drift; one
 * that ended earlier, on request or because it was large, has the next one last its full length.
 */
void schedule_rotate(struct schedule *schedule, uint64_t start_ns);

/* End of the interval in which the epoch at hand began. */
uint64_t schedule_interval_end(const struct schedule *schedule);

/* When the epoch at hand is to be written. */
uint64_t schedule_epoch_due(const struct schedule *schedule);

/* When the first of all is due. */
uint64_t schedule_next(const struct schedule *schedule);

/* How long the recording at hand is to be, rounded to seconds; 0: nobody knows. */
uint64_t schedule_planned_s(const struct schedule *schedule);

#endif
