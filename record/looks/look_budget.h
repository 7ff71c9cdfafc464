/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU time for looks at the mappings of processes in /proc. A process chooses how many mappings it
 * has, and how often they change. So the recorder looks at one process again only when a hundred
 * times the CPU time of the look before has passed. All looks together have a share of one CPU.
 * When that is spent, a look reads few mappings; most processes have fewer.
 */
#ifndef RECORD_LOOKS_LOOK_BUDGET_H
#define RECORD_LOOKS_LOOK_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/looks/cpu_share.h"
#include "record/shares/owner_time.h"
#include "record/shares/shares.h"

struct look_budget {
	struct cpu_share share;
	struct owner_time owners; /* each has a part of it, for looks that its programs choose */
	uint64_t took_ns;         /* by the latest look */
	/*
	 * Counts by the user of the process: looks that had to wait, and long enough for stacks to
	 * lack frames, and looks that did not read all mappings.
	 */
	struct shares left_out;
};

/* Mappings that a look reads at most, and when the share of CPU time is spent. */
#define LOOK_MAPPINGS_MAX   16384
#define LOOK_MAPPINGS_SPENT 512

/* When a program that begins is looked at. */
enum look_haste {
	LOOK_AT_ONCE,
	LOOK_LATER, /* if it still is there when it is sampled again */
	LOOK_NEVER,
};

/* How is it with programs of @uid? It depends on the looks that this user has had. */
enum look_haste look_budget_haste(const struct look_budget *budget, uint32_t uid);

/* A look at a program of @uid that was wanted is not made. */
void look_budget_leave_out(struct look_budget *budget, uint32_t uid);

/* The look that ended last was at a program of @uid. */
void look_budget_charge(struct look_budget *budget, uint32_t uid);

void look_budget_deinit(struct look_budget *budget);

/* No look has been made yet. @looker (or NULL) does the looks. */
void look_budget_init(struct look_budget *budget, struct looker *looker);

/* Begins a look. Returns how many mappings it may read. */
size_t look_budget_begin(struct look_budget *budget);

/*
 * Ends the look at a process of @uid; @is_cut: it did not read all mappings. Returns the time
 * (CLOCK_MONOTONIC) before which there is no other look at that process.
 */
uint64_t look_budget_end(struct look_budget *budget, uint32_t uid, bool is_cut);

/*
 * Must a look at a process of @uid wait that may begin at @next_look_ns (CLOCK_MONOTONIC)? Call it
 * once for a look that is wanted: long waits are counted.
 */
bool look_budget_must_wait(struct look_budget *budget, uint32_t uid, uint64_t next_look_ns);

#endif
