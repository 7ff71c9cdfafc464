// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/cpu_share.h"

#include "common/clock.h"

static void add_credit(struct cpu_share *s)
{
	uint64_t now_ns = clock_monotonic_ns(), earned_ns = (now_ns - s->credited_ns) / s->part;

	/* Debt is limited as well, so a credit of twice the limit always fills the share. */
	if (earned_ns >= 2 * s->max_ns || !s->credited_ns)
		s->credit_ns = (int64_t)s->max_ns;
	else
		s->credit_ns += (int64_t)earned_ns;
	if (s->credit_ns > (int64_t)s->max_ns)
		s->credit_ns = (int64_t)s->max_ns;
	s->credited_ns = now_ns;
}

static uint64_t cpu_ns(const struct cpu_share *s)
{
	return clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + looker_cpu_ns(s->looker);
}

bool cpu_share_begin(struct cpu_share *s)
{
	add_credit(s);
	s->cpu_ns = cpu_ns(s);
	return s->credit_ns > 0;
}

uint64_t cpu_share_end(struct cpu_share *s)
{
	uint64_t took_ns = cpu_ns(s) - s->cpu_ns;

	if (took_ns > 2 * s->max_ns)
		s->credit_ns -= 2 * (int64_t)s->max_ns;
	else
		s->credit_ns -= (int64_t)took_ns;
	if (s->credit_ns < -(int64_t)s->max_ns)
		s->credit_ns = -(int64_t)s->max_ns;
	return took_ns;
}
