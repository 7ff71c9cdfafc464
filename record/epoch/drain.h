/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves the set at rest into the epoch. Joins stacks and counts again, which the kernel keeps in
 * separate maps. Works in two steps, since the set is needed again sooner than its contents.
 */
#ifndef RECORD_EPOCH_DRAIN_H
#define RECORD_EPOCH_DRAIN_H

#include "common/err.h"
#include "record/epoch/epoch.h"
#include "record/sampler/sampler.h"
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
 * Adds the taken stacks and counts to @epoch, and the taken samples of @early (NULL: none). Stops
 * when the epoch has grown large. Then the caller writes the epoch and calls again. The address
 * spaces must have been brought up to the time of the last swap. Returns 0 when everything is in
 * the epoch, 1 when the epoch has to be written first, or -ENOMEM.
 */
int drain_add_next(struct drain *drain, struct early_samples *early, struct epoch *epoch);

#endif
