/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel side of counting: loads the BPF programs, attaches them to the events, and swaps and
 * drains the two sets of maps.
 */
#ifndef RECORD_SAMPLER_SAMPLER_H
#define RECORD_SAMPLER_SAMPLER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/shared.h"
#include "common/err.h"
#include "common/parse.h"
#include "record/sampler/events.h"
#include "record/sampler/sampler_load.h"
#include "record/unwind/table_maps.h"

struct sampler;

/*
 * What a drain hands out. Both return 0 or a negative errno, which ends the drain. All stacks come
 * before the first count.
 */
struct sampler_sink {
	int (*stack)(void *ctx, uint64_t id, const struct stack_entry *stack);
	int (*count)(void *ctx, const struct count_key *key, const struct count_value *value);
	void *ctx;
};

/* Loads programs and maps; nothing is attached. Returns 0 or a negative errno with @err set. */
int sampler_create(const struct sampler_options *options, struct sampler **sampler,
		   struct err *err);

/* Detaches everything and frees the maps. NULL is fine. */
void sampler_destroy(struct sampler *sampler);

/*
 * Makes what a followed process forks followed from now on. Only with filters that follow, and
 * before sampler_follow.
 */
int sampler_attach_follower(struct sampler *sampler, struct err *err);

/*
 * Makes the process at @pidfd a followed one: its samples are wanted. Returns 0, -ESRCH when it has
 * gone, or another negative errno with @err set.
 */
int sampler_follow(struct sampler *sampler, int pidfd, struct err *err);

/*
 * Children of followed tasks that the kernel could not mark, so far: samples of them and their
 * descendants are filtered.
 */
uint64_t sampler_unfollowed(const struct sampler *sampler);

/* Attaches the sampler to the events and enables them. */
int sampler_attach(struct sampler *sampler, const struct events *events, struct err *err);

/* Detaches everything; programs that run go on until the next swap. */
void sampler_detach(struct sampler *sampler);

/* The maps of the unwinder, which are the sampler's. */
void sampler_unwind_maps(const struct sampler *sampler, struct unwind_maps *maps);

/* File descriptor that polls readable when a set reached its watermark. */
int sampler_wakeup_fd(const struct sampler *sampler);

/* Consumes the pending wakeups. */
void sampler_clear_wakeups(struct sampler *sampler);

/*
 * Makes the other set the active one and waits until no program can write to the old one.
 * *@swap_ns (CLOCK_MONOTONIC) is a time before which no sample of the new set was taken.
 */
int sampler_swap(struct sampler *sampler, uint64_t *swap_ns, struct err *err);

/* Which set is at rest since the last swap. */
uint32_t sampler_set_at_rest(const struct sampler *sampler);

/*
 * Hands out and empties the set at rest. Call after sampler_swap. Returns 0, a negative errno with
 * @err set, or what the sink returned.
 */
int sampler_drain(struct sampler *sampler, const struct sampler_sink *sink, struct err *err);

/*
 * The totals of all sets drained since the last call, over all CPUs; the samples taken on each of
 * @cpus go to @cpu_taken. They are exactly those of the counts that were handed out.
 */
void sampler_take_totals(struct sampler *sampler, struct totals *totals, const u32_vec *cpus,
			 uint64_t *cpu_taken);

/* Samples taken so far, for people to look at: sampling goes on meanwhile. */
int sampler_taken(const struct sampler *sampler, uint64_t *taken, struct err *err);

#endif
