/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many frames a stack can have: the number that the user wants, if the kernel allows it. */
#ifndef RECORD_SYSTEM_STACK_DEPTH_H
#define RECORD_SYSTEM_STACK_DEPTH_H

#include <stdint.h>

#include "common/err.h"

/* The default of the kernel, and of the recorder if the kernel allows as many. */
#define STACK_DEPTH_DEFAULT 127

/* The value of kernel.perf_event_max_stack, or the default if nobody can read it. */
uint32_t stack_depth_limit(void);

/*
 * Sets *@depth to @wanted, or to the default if @wanted is 0, within @limit. Returns 0, or -E2BIG
 * with @err set if @wanted exceeds @limit, at which the kernel cuts stacks.
 */
int stack_depth_choose(uint64_t wanted, uint32_t limit, uint32_t *depth, struct err *err);

#endif
