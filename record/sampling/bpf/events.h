/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampling event. It is opened once on every sampled CPU, for all tasks. Like bcc, the recorder
 * samples hardware cycles by default if the host counts them, else the kernel's cpu-clock.
 */
#ifndef RECORD_SAMPLING_BPF_EVENTS_H
#define RECORD_SAMPLING_BPF_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/parse.h"
#include "record/sampling/bpf/event_names.h"

struct events_options {
	const struct event_name *event; /* NULL: the default */
	uint64_t freq_hz;               /* samples a second on each CPU; 0: use the period */
	uint64_t period;                /* events on a CPU from one sample to the next */
};

struct events {
	struct event_name event; /* the sampled one */
	uint64_t period;         /* events from one sample to the next; 0: by frequency */
	bool is_tracepoint;
	int *fds;  /* an event for each CPU, -1: not open; a tracepoint has the first one only */
	size_t nr; /* sampled CPUs */
};

/*
 * Opens the event, disabled, on @cpus. Returns 0 or a negative errno with @err set. The caller
 * calls events_close in either case.
 */
int events_open(struct events *events, const u32_vec *cpus, const struct events_options *options,
		struct err *err);

/*
 * Stops sampling; the counts stay in the maps. Only sampler_detach stops the sampling of a
 * tracepoint.
 */
void events_disable(const struct events *events);

/*
 * Sets the time in which a hardware event was to be counted, summed over the CPUs, and that in
 * which it was: others may have the CPUs' counters. Both are 0 of other events, and if they are too
 * short to be compared.
 */
void events_times(const struct events *events, uint64_t *wanted_ns, uint64_t *running_ns);

void events_close(struct events *events);

#endif
