/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that began during the recording. What /proc tells of a process can be had while it
 * lives, and a drain may come later: those that outlive the moment are looked at soon after they
 * began.
 */
#ifndef RECORD_PROCESS_NEW_PROCESSES_H
#define RECORD_PROCESS_NEW_PROCESSES_H

#include <stdint.h>

#include "common/vec.h"
#include "record/process/address_spaces.h"

struct new_process {
	uint32_t pid;
	uint64_t generation;
};

/* All zero: none. */
struct new_processes {
	VEC(struct new_process) waiting;
};

/* Notes an address space that has just begun. Returns 0 or -ENOMEM. */
int new_processes_add(struct new_processes *new_processes, const struct address_space *space);

/*
 * Reads what there is on those that are waiting and still the same, into their address spaces.
 * Returns 0 or -ENOMEM.
 */
int new_processes_read(struct new_processes *new_processes, const struct address_spaces *spaces);

void new_processes_deinit(struct new_processes *new_processes);

#endif
