/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves the set at rest into the epoch: puts stacks and counts, which the kernel keeps in separate
 * maps, together again. In two steps, since the set is needed again sooner than its contents.
 */
#ifndef RECORD_EPOCH_DRAIN_H
#define RECORD_EPOCH_DRAIN_H

#include "common/err.h"
#include "record/sampler/sampler.h"
#include "record/unwind/early_samples.h"
#include "record/epoch/epoch.h"

struct drain;

/* Returns 0 or -ENOMEM. */
int drain_create(struct drain **drain);
void drain_destroy(struct drain *drain);

/* Writes and empties the epoch that a drain has filled. Returns 0 or a negative errno. */
typedef int (*drain_flush_fn)(void *ctx);

/*
 * Takes stacks and counts out of the set at rest of @sampler, to be added later, together with
 * those that were taken before. Returns 0, -ENOMEM, or another negative errno with @err set.
 */
int drain_take(struct drain *drain, struct sampler *sampler, struct err *err);

/*
 * Adds to @epoch what was taken since the last time, with those of @early (NULL: none) that were,
 * and calls @flush whenever that has grown large. The address spaces must have been brought up to
 * the time of the last swap. Returns 0, -ENOMEM, or what @flush returned.
 */
int drain_add(struct drain *drain, struct early_samples *early, struct epoch *epoch,
	      drain_flush_fn flush, void *flush_ctx);

#endif
