/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPU time that threads have used since their last samples. They owe it: for each period that a
 * thread owes, a sample of it is due. What a thread owes when it ends is left to those that begin.
 * Else threads that end before their first period would hardly have a sample, however many they
 * are.
 */
#ifndef RECORD_SAMPLING_PTRACE_THREAD_DEBTS_H
#define RECORD_SAMPLING_PTRACE_THREAD_DEBTS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/sampling/ptrace/targets.h"

struct thread_debts {
	uint64_t period_ns;
	uint64_t left_ns; /* by threads that have ended */
};

/* Begins to count the time of a thread that runs already. */
void thread_debts_begin(const struct thread_debts *debts, struct target_thread *thread);

/* Begins to count the time of a new thread, which owes all of it. */
void thread_debts_begin_new(struct thread_debts *debts, struct target_thread *thread);

/* Adds the time that the thread has used since the last call. */
void thread_debts_count(struct target_thread *thread);

/* The thread ends, or is not sampled any more. */
void thread_debts_leave(struct thread_debts *debts, struct target_thread *thread);

/* A sample of the thread has been taken. */
void thread_debts_pay(const struct thread_debts *debts, struct target_thread *thread);

/* Counts as lost what *@owed_ns, of a thread or left by some, is more than can be sampled later. */
void thread_debts_limit(const struct thread_debts *debts, uint32_t cpu, uint64_t *owed_ns);

/* Sampling ends: counts as lost the whole periods that all threads have left. */
void thread_debts_end(struct thread_debts *debts);

#endif
