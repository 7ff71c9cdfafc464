/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sampling event: opened once on every sampled CPU, for all tasks. By default hardware cycles
 * where the machine counts them, else the kernel's cpu-clock, as bcc chooses.
 */
#ifndef RECORD_SAMPLER_EVENTS_H
#define RECORD_SAMPLER_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/parse.h"
#include "record/sampler/event_names.h"

struct events_options {
	const struct event_name *event; /* NULL: the default */
	uint64_t freq_hz;               /* 0: use the period */
	uint64_t period;                /* a sample every so many events on a CPU */
};

struct events {
	struct event_name event; /* that is sampled */
	uint64_t period;         /* 0: by frequency */
	bool is_tracepoint;
	int *fds; /* one for each CPU, -1 where not open; one for all CPUs of a tracepoint */
	size_t nr;
};

/*
 * Opens the event, disabled, on @cpus. Returns 0 or a negative errno with @err set; @events is to
 * be released with events_close in any case.
 */
int events_open(struct events *events, const u32_vec *cpus, const struct events_options *options,
		struct err *err);

/* Stops sampling, but that of a tracepoint (sampler_detach does); the counts stay. */
void events_disable(const struct events *events);

void events_close(struct events *events);

#endif
