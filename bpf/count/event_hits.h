/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs that run for each hit of a probe, on every CPU: tracepoints, functions of the kernel
 * and of user space, static probes. The recorder gives each attachment the number of its event.
 */
#ifndef BPF_COUNT_EVENT_HITS_H
#define BPF_COUNT_EVENT_HITS_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/count/count_stacks.h"
#include "bpf/count/hit_weight.h"
#include "bpf/count/hit_cost.h"
#include "bpf/setting.h"

/* Set before load. */
__setting bool choose_cpus;     /* the user does not want the hits of all CPUs */
__setting __u64 hit_period = 1; /* on each CPU, 1 hit in this many is counted */
__setting bool include_idle_hits = true;

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1); /* the events, set before load */
	__type(key, __u32);
	__type(value, struct hit_state);
} hits SEC(".maps");

/* The event of an attachment that carries @cookie; @nr_events if it is none. */
static __always_inline __u32 event_of_cookie(__u64 cookie)
{
	__u32 event = nr_events == 1 ? 0 : cookie;

	return event < nr_events ? event : nr_events;
}

static __always_inline __u32 event_of(void *ctx)
{
	return event_of_cookie(nr_events == 1 ? 0 : bpf_get_attach_cookie(ctx));
}

/* Is this hit to be counted? Periods count hits before the filters. */
static __always_inline bool is_chosen(__u32 event)
{
	struct hit_state *state;

	if (event >= nr_events)
		return false;
	if (!choose_cpus && hit_period == 1)
		return true;
	state = bpf_map_lookup_elem(&hits, &event);
	if (!state || (choose_cpus && !state->is_sampled))
		return false;
	return hit_period == 1 || (__sync_fetch_and_add(&state->nr, 1) + 1) % hit_period == 0;
}

static __always_inline int handle_hit(void *ctx, __u32 event, __u64 weight, int own_frames)
{
	struct run run;

	begin_run(&run, event, 0);
	if (is_kept(&run, event))
		handle_event(ctx, event, scale_weight(run.stands_for, weight), include_idle_hits,
			     own_frames);
	end_run(&run);
	return 0;
}

/* A call of a function, whose registers @ctx has. */
static __always_inline int handle_call(struct pt_regs *ctx, __u32 event, int own_frames)
{
	struct weight *w = NULL;
	__u64 weight = 1;

	if (!is_chosen(event))
		return 0;
	if (has_weights)
		w = bpf_map_lookup_elem(&weights, &event);
	if (w && w->source == WEIGHT_ARG)
		weight = extend(argument_of(ctx, w->at), w);
	return handle_hit(ctx, event, weight, own_frames);
}

SEC("tp")
int count_tracepoint(void *ctx)
{
	__u32 event = event_of(ctx);

	return is_chosen(event) ? handle_hit(ctx, event, 1, 0) : 0;
}

/*
 * A program that reads a record can be attached only where records are long enough. So tracepoints
 * without weights have a program of their own.
 */
SEC("tp")
int sum_tracepoint(void *ctx)
{
	__u32 event = event_of(ctx);
	struct weight *w;

	if (!is_chosen(event))
		return 0;
	w = bpf_map_lookup_elem(&weights, &event);
	return w ? handle_hit(ctx, event, extend(field_of(ctx, w), w), 0) : 0;
}

/* By kprobe.multi or kprobes. */
SEC("kprobe")
int count_kernel_call(struct pt_regs *ctx)
{
	return handle_call(ctx, event_of(ctx), 0);
}

/* The kernel's stack begins in this program and in the trampoline that calls it. */
#define NR_ENTRY_FRAMES 2

/*
 * By fentry. Each function has a copy of this program. There are no registers, but the kernel hands
 * out the arguments of the function that its BTF tells of.
 */
SEC("fentry")
int count_kernel_entry(void *ctx)
{
	__u32 event = event_of(ctx);
	struct weight *w = NULL;
	__u64 weight = 1;

	if (!is_chosen(event))
		return 0;
	if (has_weights)
		w = bpf_map_lookup_elem(&weights, &event);
	if (w && w->source == WEIGHT_ARG) {
		weight = 0;
		bpf_get_func_arg(ctx, w->at - 1, &weight);
		weight = extend(weight, w);
	}
	return handle_hit(ctx, event, weight, NR_ENTRY_FRAMES);
}

/*
 * By uprobe.multi or uprobes. The registers of user space are those at the probe, so the walk by
 * tables starts there.
 */
SEC("uprobe")
int count_user_call(struct pt_regs *ctx)
{
	__u64 cookie = bpf_get_attach_cookie(ctx);
	int at_entry = cookie / PROBE_AT_ENTRY & 1;

	return handle_call(ctx, event_of_cookie(cookie),
			   AT_UPROBE + at_entry * (AT_ENTRY - AT_UPROBE));
}

#endif
