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

#include "record/system/cpu_share.h"

struct look_budget {
	struct cpu_share share;
	uint64_t nr_put_off; /* looks that had to wait, and long enough for stacks to lack frames */
	uint64_t nr_cut;     /* looks that did not read all mappings */
};

/* Mappings that a look reads at most, and when the share of CPU time is spent. */
#define LOOK_MAPPINGS_MAX   16384
#define LOOK_MAPPINGS_SPENT 512

/* Looks that were put off or cut. */
static inline uint64_t look_budget_nr_left_out(const struct look_budget *budget)
{
	return budget->nr_put_off + budget->nr_cut;
}

/* No look has been made yet. @looker (or NULL) does the looks. */
void look_budget_init(struct look_budget *budget, struct looker *looker);

/* Begins a look. Returns how many mappings it may read. */
size_t look_budget_begin(struct look_budget *budget);

/*
 * Ends the look; @is_cut: it did not read all mappings. Returns the time (CLOCK_MONOTONIC) before
 * which there is no other look at that process.
 */
uint64_t look_budget_end(struct look_budget *budget, bool is_cut);

/*
 * Must a look at a process wait that may begin at @next_look_ns (CLOCK_MONOTONIC)? Call it once for
 * a look that is wanted: long waits are counted.
 */
bool look_budget_must_wait(struct look_budget *budget, uint64_t next_look_ns);

#endif
