/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events that a report prints. A recording without a table of events has one event all the
 * same: the samples that its description names.
 */
#ifndef REPORT_MODEL_EVENT_CHOICE_H
#define REPORT_MODEL_EVENT_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "format/prof.h"

/* Events [first, first + nr) of a recording; all of them, or one. */
struct event_choice {
	uint32_t first, nr;
};

/*
 * Chooses the events of the recording @file that @wanted says: a name as the user typed it for the
 * recorder, or a number from 1. NULL stands for all events. Returns 0, or -EINVAL with @err set,
 * which lists the events, if there is no such event or several of that name.
 */
int event_choose(const struct prof_meta *meta, const char *file, const char *wanted,
		 struct event_choice *choice, struct err *err);

/*
 * Returns 0 if @choice is one event. Else folded output could not hold it: returns -EINVAL, with
 * @err set, which lists the events.
 */
int event_choice_check_single(const struct event_choice *choice, const struct prof_meta *meta,
			      const char *file, struct err *err);

/* Returns the name of @event. It is borrowed from @meta. */
const char *event_name(const struct prof_meta *meta, uint32_t event);

/* Returns true if @event counts hits of functions, tracepoints or probes. */
bool event_has_hits(const struct prof_meta *meta, uint32_t event);

/*
 * Returns the words for the counts of @event: "samples", "hits", "nanoseconds", "bytes", "numbers".
 */
uint8_t event_unit_number(const struct prof_meta *meta, uint32_t event);

const char *event_unit(const struct prof_meta *meta, uint32_t event);

/* Returns true if @event counts time off the CPU. */
bool event_is_off_cpu(const struct prof_meta *meta, uint32_t event);

/* Returns true if the counts of @event come from samples of a perf event. */
bool event_is_sampled(const struct prof_meta *meta, uint32_t event);

/*
 * Returns the rate at which samples of @event were taken. Returns 0 if a period was set, if nothing
 * was sampled, or if the counts are nanoseconds, which mean the same at any rate.
 */
uint64_t event_hz(const struct prof_meta *meta, uint32_t event);

/*
 * Returns the nanoseconds of CPU time that a sample of @event stands for, 0 if it stands for
 * something else. Samples of clocks are time, and so are those of cycles at a frequency.
 */
uint64_t event_sample_ns(const struct prof_meta *meta, uint32_t event);

/*
 * Returns the samples for a @count of @event. Sampled time is counted in nanoseconds; a count that
 * was not sampled is returned as it is.
 */
uint64_t event_samples(const struct prof_meta *meta, uint32_t event, uint64_t count);

/*
 * Sets *@lost to the hits of an event that were taken, but are neither counted nor overflows.
 * Returns false if fewer hits were taken than the others add up to.
 */
bool event_lost(const struct prof_event_end *event, uint64_t *lost);

/* Returns the field or argument that @event sums up, "" if it counts. It is borrowed from @meta. */
const char *event_weight(const struct prof_meta *meta, uint32_t event);

#endif
