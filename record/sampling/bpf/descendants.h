/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the descendants that a process already has when the sampler begins to follow it. */
#ifndef RECORD_SAMPLING_BPF_DESCENDANTS_H
#define RECORD_SAMPLING_BPF_DESCENDANTS_H

#include "common/err.h"
#include "common/parse.h"

/*
 * Follows a descendant, whose id @pidfd holds. Returns 0, -ESRCH if it has gone, or another
 * negative errno with @err set.
 */
typedef int (*descendants_fn)(void *ctx, uint32_t pid, int pidfd, struct err *err);

/*
 * Calls @follow for all descendants of @pids. The children that followed processes fork meanwhile
 * must be followed by themselves. Returns 0 or a negative errno with @err set.
 */
int descendants_follow(const u32_vec *pids, descendants_fn follow, void *ctx, struct err *err);

#endif
