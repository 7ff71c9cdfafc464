// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/ptrace/thread_debts.h"

#include <stdlib.h>

#include "common/clock.h"
#include "common/minmax.h"
#include "record/sampling/program/program.h"
#include "record/sampling/ptrace/thread_times.h"

/*
 * A thread that uses the CPU in short bursts is seldom met while it runs, and a busy machine lets
 * the recorder wait. So periods that a thread owes count as lost only when there are OWED_MAX of
 * them and they add up to OWED_MAX_NS.
 */
#define OWED_MAX    4
#define OWED_MAX_NS (100 * NS_PER_MS)

void thread_debts_begin(const struct thread_debts *d, struct target_thread *t)
{
	/* The first sample is due after a part of a period, by lot. */
	t->owed_ns = (uint64_t)random() % d->period_ns;
	t->has_lot = true;
	t->ran_ns = thread_times_read(t);
}

void thread_debts_begin_new(struct thread_debts *d, struct target_thread *t)
{
	t->owed_ns = min_u64(d->left_ns, d->period_ns);
	d->left_ns -= t->owed_ns;
	t->ran_ns = 0;
}

void thread_debts_count(struct target_thread *t)
{
	uint64_t ran_ns = thread_times_read(t);

	t->is_idle = ran_ns == t->ran_ns;
	if (ran_ns > t->ran_ns)
		t->owed_ns += ran_ns - t->ran_ns;
	t->ran_ns = ran_ns;
}

void thread_debts_leave(struct thread_debts *d, struct target_thread *t)
{
	/* On average, what the lot has added is what is more than whole periods. */
	if (t->has_lot)
		t->owed_ns -= t->owed_ns % d->period_ns;
	d->left_ns += t->owed_ns;
	t->owed_ns = 0;
}

void thread_debts_pay(const struct thread_debts *d, struct target_thread *t)
{
	t->owed_ns -= min_u64(t->owed_ns, d->period_ns);
}

void thread_debts_limit(const struct thread_debts *d, uint32_t cpu, uint64_t *owed_ns)
{
	uint64_t nr = *owed_ns / d->period_ns;

	if (nr < OWED_MAX || *owed_ns < OWED_MAX_NS)
		return;
	program_lose_samples(cpu, nr - 1);
	*owed_ns -= (nr - 1) * d->period_ns;
}

void thread_debts_end(struct thread_debts *d)
{
	program_lose_samples(0, d->left_ns / d->period_ns);
	d->left_ns = 0;
}
