// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/look_budget.h"

#include "common/clock.h"

/* All looks may take one part in so many of the time of a CPU, and looks at one process this. */
#define SHARE         20
#define PROCESS_SHARE 100

/* Credit that can be saved up: some thousand looks, for a host that starts many processes. */
#define CREDIT_MAX_NS ((int64_t)(500 * NS_PER_MS))

/* A process whose mappings were not read to the end waits at least so long. */
#define CUT_PAUSE_NS NS_PER_S

static void add_credit(struct look_budget *b, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - b->credited_ns;

	/* A long time brings the whole credit, also the first time. */
	if (passed_ns / SHARE >= 2 * (uint64_t)CREDIT_MAX_NS)
		b->credit_ns = CREDIT_MAX_NS;
	else
		b->credit_ns += (int64_t)(passed_ns / SHARE);
	if (b->credit_ns > CREDIT_MAX_NS)
		b->credit_ns = CREDIT_MAX_NS;
	b->credited_ns = now_ns;
}

static uint64_t cpu_ns(const struct look_budget *b)
{
	return clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + looker_cpu_ns(b->looker);
}

size_t look_budget_begin(struct look_budget *b)
{
	add_credit(b, clock_monotonic_ns());
	b->cpu_ns = cpu_ns(b);
	return b->credit_ns > 0 ? LOOK_MAPPINGS_MAX : LOOK_MAPPINGS_SPENT;
}

uint64_t look_budget_end(struct look_budget *b, bool is_cut)
{
	uint64_t took_ns = cpu_ns(b) - b->cpu_ns;
	uint64_t pause_ns = took_ns * PROCESS_SHARE;

	b->credit_ns -= (int64_t)took_ns;
	if (b->credit_ns < -CREDIT_MAX_NS)
		b->credit_ns = -CREDIT_MAX_NS;
	b->nr_cut += is_cut;
	if (is_cut && pause_ns < CUT_PAUSE_NS)
		pause_ns = CUT_PAUSE_NS;
	return clock_monotonic_ns() + pause_ns;
}
