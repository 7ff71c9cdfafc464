/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A share of the time of one CPU, for work whose amount the profiled processes choose. Time that
 * passes gives credit, and the work takes it away. Credit can be saved up to a limit.
 */
#ifndef RECORD_LOOKS_CPU_SHARE_H
#define RECORD_LOOKS_CPU_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "record/looks/looker.h"

/* Set the first two and the looker; the others are 0 when no work has been done yet. */
struct cpu_share {
	uint32_t part;        /* the work may take 1/part of the time that passes */
	uint64_t max_ns;      /* credit that can be saved up; it is there at the start */
	int64_t credit_ns;    /* below 0 when work took more than there was */
	uint64_t credited_ns; /* CLOCK_MONOTONIC: up to when time was credited */
	uint64_t cpu_ns;      /* CPU time of this thread and of looks when the work at hand began */
	struct looker *looker; /* borrowed; does a part of the work; or NULL */
};

/* Begins a piece of work. Returns false if the share is spent. */
bool cpu_share_begin(struct cpu_share *share);

/* Ends the piece of work. Returns the CPU time that it took, in nanoseconds. */
uint64_t cpu_share_end(struct cpu_share *share);

#endif
