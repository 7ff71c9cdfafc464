/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU time for looks at the mappings of processes in /proc. A process chooses how many mappings it
 * has, and how often they change. So the recorder looks at one process again only when a hundred
 * times the CPU time of the look before has passed. All looks together have a share of one CPU.
 * When that is spent, a look reads few mappings; most processes have fewer.
 */
#ifndef RECORD_PROCESS_LOOK_BUDGET_H
#define RECORD_PROCESS_LOOK_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/system/looker.h"

/* All zero but for the looker: no look has been made, and none is under way. */
struct look_budget {
	int64_t credit_ns;     /* CPU time that is left; below 0 when looks took more */
	uint64_t credited_ns;  /* CLOCK_MONOTONIC: up to when time was credited; 0: never */
	uint64_t cpu_ns;       /* CPU time of this thread and of looks, when this one began */
	uint64_t nr_put_off;   /* looks that had to wait */
	uint64_t nr_cut;       /* looks that did not read all mappings */
	struct looker *looker; /* borrowed; does the looks */
};

/* Mappings that a look reads at most, and when the share of CPU time is spent. */
#define LOOK_MAPPINGS_MAX   16384
#define LOOK_MAPPINGS_SPENT 512

/* Begins a look. Returns how many mappings it may read. */
size_t look_budget_begin(struct look_budget *budget);

/*
 * Ends the look; @is_cut: it did not read all mappings. Returns the time (CLOCK_MONOTONIC) before
 * which there is no other look at that process.
 */
uint64_t look_budget_end(struct look_budget *budget, bool is_cut);

#endif
