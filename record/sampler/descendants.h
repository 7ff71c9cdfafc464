/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The descendants that processes have already when they are begun to be followed. */
#ifndef RECORD_SAMPLER_DESCENDANTS_H
#define RECORD_SAMPLER_DESCENDANTS_H

#include "common/err.h"
#include "common/parse.h"
#include "record/sampler/sampler.h"

/*
 * Makes all descendants of @pids followed. The follower must be attached: what is forked meanwhile
 * by one that is followed is followed by it. Returns 0 or a negative errno with @err set.
 */
int descendants_follow(const u32_vec *pids, struct sampler *sampler, struct err *err);

#endif
