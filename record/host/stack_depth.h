/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many frames a stack can have. The kernel cuts the stacks that its helper takes, at a limit
 * that root can change. The programs walk by tables as far as they have room.
 */
#ifndef RECORD_HOST_STACK_DEPTH_H
#define RECORD_HOST_STACK_DEPTH_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

/* The default of the kernel, and of the recorder if the kernel allows as many. */
#define STACK_DEPTH_DEFAULT 127

/*
 * The default where the programs walk by tables. A function of an interpreter takes up to five
 * frames, and collectors of garbage recurse.
 */
#define STACK_DEPTH_BY_TABLES 1024

struct stack_depth {
	uint32_t most;      /* frames of any stack */
	uint32_t of_helper; /* frames of those that the kernel's helper takes */
};

/* The value of kernel.perf_event_max_stack, or the default if nobody can read it. */
uint32_t stack_depth_limit(void);

/*
 * Sets *@depth to @wanted, or to the default if @wanted is 0. The kernel cuts stacks at @limit.
 * Returns 0, or -E2BIG with @err set if @wanted exceeds it and no stacks are walked @by_tables.
 */
int stack_depth_choose(uint64_t wanted, uint32_t limit, bool by_tables, struct stack_depth *depth,
		       struct err *err);

#endif
