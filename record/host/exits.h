/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of processes that were chosen by their ids. When all have ended there is nothing left to
 * record. Descriptors of processes (pidfd_open(2)) tell so; ids can be taken again.
 */
#ifndef RECORD_HOST_EXITS_H
#define RECORD_HOST_EXITS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/parse.h"

/* All zero: no processes, whose end never comes. */
struct exits {
	VEC(int) pidfds; /* of those that have not ended */
	size_t nr;       /* processes that are watched */
};

/*
 * Watches the processes @pids. Where the kernel or a sandbox allows no descriptors, none is
 * watched. Returns 0 or -ENOMEM. The caller calls exits_deinit in either case.
 */
int exits_init(struct exits *exits, const u32_vec *pids);

/* Have all of the processes ended? */
bool exits_are_over(struct exits *exits);

void exits_deinit(struct exits *exits);

#endif
