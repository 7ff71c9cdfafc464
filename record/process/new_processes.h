/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts that /proc tells of processes that began during the recording. /proc has them only while a
 * process lives, and a drain may come later. So the recorder looks at new processes soon after they
 * began. It keeps the answers as long as their address spaces.
 */
#ifndef RECORD_PROCESS_NEW_PROCESSES_H
#define RECORD_PROCESS_NEW_PROCESSES_H

#include <stdint.h>

#include "common/index.h"
#include "common/vec.h"
#include "record/proc/proc_info.h"
#include "record/process/address_spaces.h"
#include "record/system/memory_budget.h"

struct new_process {
	uint32_t pid;
	uint64_t generation; /* of its address space */
	struct proc_info info;
};

/* All zero: none. */
struct new_processes {
	VEC(struct new_process) waiting; /* not looked at yet: without info */
	VEC(struct new_process) known;
	struct index by_generation;   /* of those that are known */
	struct memory_budget *memory; /* pays for those that are known; NULL: nobody counts */
	uint64_t nr_left_out;         /* processes without an answer, since memory was short */
};

/* Notes an address space that has just begun. Returns 0 or -ENOMEM. */
int new_processes_add(struct new_processes *new_processes, const struct address_space *space);

/*
 * Looks at the waiting processes, unless memory is short, that still have the address space with
 * which they were noted. Returns 0 or -ENOMEM.
 */
int new_processes_read(struct new_processes *new_processes, const struct address_spaces *spaces);

/* The answer for @space, or NULL when there is none. Valid until the next read or forget. */
const struct proc_info *new_processes_find(const struct new_processes *new_processes,
					   const struct address_space *space);

/* Forgets the answers whose address spaces are gone from @spaces. Returns 0 or -ENOMEM. */
int new_processes_forget(struct new_processes *new_processes, const struct address_spaces *spaces);

void new_processes_deinit(struct new_processes *new_processes);

#endif
