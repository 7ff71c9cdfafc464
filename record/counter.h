/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel side of counting: loads the BPF programs, attaches them to the events, and swaps and
 * drains the two sets of maps.
 */
#ifndef RECORD_COUNTER_H
#define RECORD_COUNTER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/shared.h"
#include "common/err.h"
#include "common/parse.h"
#include "record/events.h"
#include "record/filters.h"
#include "record/unwind_store.h"

struct counter_options {
	const struct filters *filters;
	const u32_vec *cpus;         /* sampled ones */
	const struct events *events; /* what is going to be attached to */
	uint64_t stack_storage;      /* stacks that both sets hold together */
	uint64_t hash_storage;       /* counts that both sets hold together */
	uint32_t max_depth;          /* frames of a stack */
	bool no_user, no_kernel;
	bool include_idle;
	bool unwind; /* by tables: unwinder_begin is to follow */
};

struct counter;

/*
 * What a drain hands out. Both return 0 or a negative errno, which ends the drain. All stacks come
 * before the first count.
 */
struct counter_sink {
	int (*stack)(void *ctx, uint64_t id, const struct stack_entry *stack);
	int (*count)(void *ctx, const struct count_key *key, const struct count_value *value);
	void *ctx;
};

/* Loads programs and maps; nothing is attached. Returns 0 or a negative errno with @err set. */
int counter_create(const struct counter_options *options, struct counter **counter,
		   struct err *err);

/* Detaches everything and frees the maps. NULL is fine. */
void counter_destroy(struct counter *counter);

/*
 * Makes what a followed process forks followed from now on. Only with filters that follow, and
 * before counter_follow.
 */
int counter_attach_follower(struct counter *counter, struct err *err);

/*
 * Makes the process at @pidfd a followed one: its samples are wanted. Returns 0, -ESRCH when it has
 * gone, or another negative errno with @err set.
 */
int counter_follow(struct counter *counter, int pidfd, struct err *err);

/*
 * Children of followed tasks that the kernel could not mark, so far: samples of them and their
 * descendants are filtered.
 */
uint64_t counter_unfollowed(const struct counter *counter);

/* Attaches the sampler to the events and enables them. */
int counter_attach(struct counter *counter, const struct events *events, struct err *err);

/* Detaches everything; programs that run go on until the next swap. */
void counter_detach(struct counter *counter);

/* The maps of the unwinder, which are the counter's. */
void counter_unwind_maps(const struct counter *counter, struct unwind_maps *maps);

/* File descriptor that polls readable when a set reached its watermark. */
int counter_wakeup_fd(const struct counter *counter);

/* Consumes the pending wakeups. */
void counter_clear_wakeups(struct counter *counter);

/*
 * Makes the other set the active one and waits until no program can write to the old one.
 * *@swap_ns (CLOCK_MONOTONIC) is a time before which no sample of the new set was taken.
 */
int counter_swap(struct counter *counter, uint64_t *swap_ns, struct err *err);

/* Which set is at rest since the last swap. */
uint32_t counter_set_at_rest(const struct counter *counter);

/*
 * Hands out and empties the set at rest. Call after counter_swap. Returns 0, a negative errno with
 * @err set, or what the sink returned.
 */
int counter_drain(struct counter *counter, const struct counter_sink *sink, struct err *err);

/*
 * The totals of all sets drained since the last call, over all CPUs; the samples taken on each of
 * @cpus go to @cpu_taken. They are exactly those of the counts that were handed out.
 */
void counter_take_totals(struct counter *counter, struct totals *totals, const u32_vec *cpus,
			 uint64_t *cpu_taken);

/* Samples taken so far, for people to look at: sampling goes on meanwhile. */
int counter_taken(const struct counter *counter, uint64_t *taken, struct err *err);

#endif
