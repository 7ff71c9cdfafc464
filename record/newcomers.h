/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that began during the recording. What /proc tells of a process can be had while it
 * lives, and a drain may come later: those that outlive the moment are looked at soon after they
 * began.
 */
#ifndef RECORD_NEWCOMERS_H
#define RECORD_NEWCOMERS_H

#include <stdint.h>

#include "common/vec.h"
#include "record/address_spaces.h"

struct newcomer {
	uint32_t pid;
	uint64_t generation;
};

/* All zero: none. */
struct newcomers {
	VEC(struct newcomer) waiting;
};

/* Notes an address space that has just begun. Returns 0 or -ENOMEM. */
int newcomers_add(struct newcomers *newcomers, const struct address_space *space);

/*
 * Reads what there is on those that are waiting and still the same, into their address spaces.
 * Returns 0 or -ENOMEM.
 */
int newcomers_read(struct newcomers *newcomers, const struct address_spaces *spaces);

void newcomers_deinit(struct newcomers *newcomers);

#endif
