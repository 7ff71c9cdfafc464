/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many frames a stack can have: what was asked for, within what the kernel allows. */
#ifndef RECORD_SYSTEM_STACK_DEPTH_H
#define RECORD_SYSTEM_STACK_DEPTH_H

#include <stdint.h>

#include "common/err.h"

/* What is taken when nothing is asked for and the kernel allows: its own default. */
#define STACK_DEPTH_DEFAULT 127

/* What kernel.perf_event_max_stack allows, or the default if that cannot be read. */
uint32_t stack_depth_limit(void);

/*
 * *@depth for the @wanted one (0: the default) under @limit. Returns 0, or -E2BIG with @err set
 * when the kernel would cut the stacks earlier.
 */
int stack_depth_choose(uint64_t wanted, uint32_t limit, uint32_t *depth, struct err *err);

#endif
