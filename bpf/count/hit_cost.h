/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What counting costs, and how to make it cost less. The programs time a part of their own runs.
 * The recorder adds up these times, and says which part of the hits to count (shed_gaps).
 *
 * Hits that are left out are chosen at random. If each second hit was counted, a program that does
 * two things in turn would seem to do one of them only.
 */
#ifndef BPF_COUNT_HIT_COST_H
#define BPF_COUNT_HIT_COST_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/setting.h"
#include "bpf/shared.h"
#include "bpf/walk/user_stack.h"

/* Set before load. */
__setting bool measures_cost;
__setting bool may_shed;

/*
 * 1 hit in this many of an event is to be counted; 0 and 1: all. Only the recorder writes this, at
 * any time.
 */
volatile __u32 shed_gaps[MAX_EVENTS + 1];

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* the events, set before load */
	__type(key, __u32);
	__type(value, struct hit_cost);
} costs SEC(".maps");

/* 1 run in this many is timed. */
#define TIMED_RUNS 16

/*
 * A run that takes longer was interrupted, or another task had the CPU meanwhile. A walk takes less
 * for a frame.
 */
#define RUN_NS_MAX(depth) (20000 + (depth)*200ULL)

/* A run of a program. */
struct run {
	struct hit_cost *cost; /* NULL: nobody asks */
	__u64 begin_ns;        /* 0: it is not timed */
	__u32 stands_for;      /* the number of hits, if this one is counted */
};

/* Begins a run for a hit of @event. @now_ns is the time of CLOCK_MONOTONIC, 0 if nobody knows. */
static __always_inline void begin_run(struct run *run, __u32 event, __u64 now_ns)
{
	*run = (struct run){.stands_for = 1};
	if (!measures_cost)
		return;
	run->cost = bpf_map_lookup_elem(&costs, &event);
	if (run->cost && run->cost->nr_runs++ % TIMED_RUNS == 0)
		run->begin_ns = now_ns ?: bpf_ktime_get_ns();
}

/*
 * Is the hit of @event to be counted? If so, sets run->stands_for. The number of hits to leave out
 * is drawn from 0 to twice the mean. A counted hit stands for the mean with which it was drawn, so
 * sums stay right when the recorder changes it.
 */
static __always_inline bool is_kept(struct run *run, __u32 event)
{
	struct hit_cost *cost = run->cost;
	__u32 gap;

	if (!may_shed || !cost)
		return true;
	if (cost->nr_left) {
		__sync_fetch_and_sub(&cost->nr_left, 1);
		return false;
	}
	run->stands_for = cost->gap ?: 1;
	gap = shed_gaps[event & MAX_EVENTS];
	cost->gap = gap;
	if (gap > 1)
		cost->nr_left = bpf_get_prandom_u32() % (2 * gap - 1);
	return true;
}

/* The weight of a hit that stands for others, too. One that is too large stays so. */
static __always_inline __u64 scale_weight(__u32 stands_for, __u64 weight)
{
	if (!may_shed || stands_for <= 1)
		return weight;
	return weight >> (64 - SHED_GAP_BITS) ? ~0ULL : weight * stands_for;
}

static __always_inline void end_run(const struct run *run)
{
	__u64 ns;

	if (!run->cost || !run->begin_ns)
		return;
	ns = bpf_ktime_get_ns() - run->begin_ns;
	if (ns > RUN_NS_MAX(max_depth))
		ns = RUN_NS_MAX(max_depth);
	__sync_fetch_and_add(&run->cost->run_ns, ns * TIMED_RUNS);
}

#endif
