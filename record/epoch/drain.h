/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves the set at rest into the epoch. Joins stacks and counts again, which the kernel keeps in
 * separate maps. Works in two steps, since the set is needed again sooner than its contents.
 */
#ifndef RECORD_EPOCH_DRAIN_H
#define RECORD_EPOCH_DRAIN_H

#include "common/err.h"
#include "record/epoch/epoch.h"
#include "record/sampling/bpf/sampler.h"
#include "record/unwind/early_samples.h"

struct drain;

/* Returns 0 or -ENOMEM. */
int drain_create(struct drain **drain);
void drain_destroy(struct drain *drain);

/*
 * Takes stacks and counts out of the set at rest of @sampler. They wait, with those of earlier
 * calls, until drain_add. Returns 0, -ENOMEM, or another negative errno with @err set.
 */
int drain_take(struct drain *drain, struct sampler *sampler, struct err *err);

/*
 * Call it after each drain_take of a recording of time off the CPU: keeps the stacks of threads
 * that wait. Their counts come with a later set. Returns 0 or a negative errno with @err set.
 */
int drain_keep_waiting(struct drain *drain, struct sampler *sampler, struct err *err);

/* The end of the recording. */
struct drain_end {
	uint64_t time_ns;        /* CLOCK_MONOTONIC */
	uint64_t min_ns, max_ns; /* shorter and longer waits are left out; max 0: no limit */
};

/*
 * Counts the time of threads that still wait when the recording ends. The programs must have been
 * detached, and the last set taken. Adds the time to that of each event in @waited_ns. Returns 0 or
 * a negative errno with @err set.
 */
int drain_count_waiting(struct drain *drain, struct sampler *sampler, const struct drain_end *end,
			uint64_t *waited_ns, struct err *err);

/* Tells of each taken count by how many samples of which process it is. */
void drain_tell_samples(const struct drain *drain,
			void (*tell)(void *ctx, uint32_t pid, uint64_t nr), void *ctx);

/*
 * Adds the taken stacks and counts to @epoch, and the taken samples of @early (NULL: none). Stops
 * when the epoch has grown large. Then the caller writes the epoch and calls again. The address
 * spaces must have been brought up to the time of the last swap. Returns 0 when everything is in
 * the epoch, 1 when the epoch has to be written first, or -ENOMEM.
 */
int drain_add_next(struct drain *drain, struct early_samples *early, struct epoch *epoch);

#endif
