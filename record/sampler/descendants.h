/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the descendants that a process already has when the sampler begins to follow it. */
#ifndef RECORD_SAMPLER_DESCENDANTS_H
#define RECORD_SAMPLER_DESCENDANTS_H

#include "common/err.h"
#include "common/parse.h"
#include "record/sampler/sampler.h"

/*
 * Makes @sampler follow all descendants of @pids. The caller has called sampler_attach_follower, so
 * that the kernel marks the children that followed processes fork meanwhile. Returns 0 or a
 * negative errno with @err set.
 */
int descendants_follow(const u32_vec *pids, struct sampler *sampler, struct err *err);

#endif
