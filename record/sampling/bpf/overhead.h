/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watches what counting costs (bpf/count/hit_cost.h). Above a limit, the user hears of it, or fewer
 * hits are counted. So a function that is called a million times a second does not bring a host
 * down.
 */
#ifndef RECORD_SAMPLING_BPF_OVERHEAD_H
#define RECORD_SAMPLING_BPF_OVERHEAD_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/shared.h"
#include "common/err.h"
#include "record/sampling/bpf/sampler.h"

struct overhead {
	/* Set by the caller. */
	uint64_t limit_percent; /* of one CPU; 0: nobody watches */
	bool sheds;             /* counts fewer hits above the limit */
	uint32_t nr_events;
	/* All zero at the start. */
	uint64_t checked_ns;          /* CLOCK_MONOTONIC */
	uint64_t noted_ns;            /* when the user heard of it last */
	uint64_t run_ns[MAX_EVENTS];  /* what the hits of each event cost until checked_ns */
	uint32_t gaps[MAX_EVENTS];    /* 1 hit in this many is counted; 0 and 1: all */
	uint32_t largest[MAX_EVENTS]; /* of these, in the recording at hand */
};

/* The news for the user. */
struct overhead_finding {
	double percent; /* of one CPU; 0: there is no news */
	uint32_t event; /* whose hits cost most */
	uint32_t gap;   /* of that event, from now on; 0: all its hits are counted */
};

/*
 * Decides by the time @run_ns that the hits of each event have taken so far, at @now_ns. Does
 * nothing if the last time was a moment ago.
 */
void overhead_judge(struct overhead *overhead, const uint64_t *run_ns, uint64_t now_ns,
		    struct overhead_finding *finding);

/*
 * Reads what counting has cost, decides, and tells the programs of @sampler. Returns 0 or a
 * negative errno with @err set.
 */
int overhead_check(struct overhead *overhead, struct sampler *sampler, uint64_t now_ns,
		   struct overhead_finding *finding, struct err *err);

/* Another recording begins. */
void overhead_begin_recording(struct overhead *overhead);

#endif
