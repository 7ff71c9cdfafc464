/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the events of a run by the options: samples of a perf event, hits of probes, times. */
#ifndef RECORD_RUN_CHOSEN_EVENTS_H
#define RECORD_RUN_CHOSEN_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "record/probes/probes.h"
#include "record/run/record_options.h"
#include "record/sampling/bpf/filters.h"
#include "record/sampling/bpf/sampler_load.h"

struct chosen_events {
	/* Given; all are borrowed. */
	const struct record_options *options;
	const struct filters *filters;
	struct probes *probes; /* its table of events stays empty if there are samples alone */
	struct err *err;
	/* Chosen. */
	uint32_t sample_event; /* the number of the samples among the events */
	struct off_cpu_options off_cpu;
};

/* Do the options ask for samples of a perf event? */
bool options_want_samples(const struct record_options *options);

/*
 * Fills the table of events. Finds the probes of all patterns, and attaches none. Returns 0 or a
 * negative errno with the err set.
 */
int chosen_events_find(struct chosen_events *chosen);

#endif
