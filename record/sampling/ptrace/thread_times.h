/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc tells of the time and the state of a thread. */
#ifndef RECORD_SAMPLING_PTRACE_THREAD_TIMES_H
#define RECORD_SAMPLING_PTRACE_THREAD_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/parse.h"
#include "record/sampling/ptrace/targets.h"

/* The CPU time of the thread, in nanoseconds; thread->ran_ns if that cannot be read. */
uint64_t thread_times_read(struct target_thread *thread);

/*
 * Does the thread run, or wait for a CPU? Notes its ticks, and the CPU that it was last on:
 * thread->cpu is its position in @possible. @looker touches it if it is another user's.
 */
bool thread_times_runs(struct target_thread *thread, const u32_vec *possible,
		       struct looker *looker);

/* Has the thread ended? It may be there for as long as other threads of the process are. */
bool thread_times_has_ended(uint32_t pid, uint32_t tid, struct looker *looker);

#endif
