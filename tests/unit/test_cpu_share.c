// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/cpu_share.h"

#include "common/clock.h"
#include "tests/unit/suite.h"

#define MAX_NS (100 * NS_PER_MS)

/* Does work that seems to have taken @took_ns of CPU time, and little more. */
static uint64_t work(struct cpu_share *s, uint64_t took_ns)
{
	cpu_share_begin(s);
	s->cpu_ns -= took_ns;
	return cpu_share_end(s);
}

/* Begins and ends work when @passed_ns have passed since the last, however slow the machine is. */
static bool may_work_after(struct cpu_share *s, uint64_t passed_ns)
{
	bool may;

	s->credited_ns = clock_monotonic_ns() - passed_ns;
	may = cpu_share_begin(s);
	cpu_share_end(s);
	return may;
}

START_TEST(the_whole_credit_is_there_at_the_start)
{
	struct cpu_share s = {.part = 1000, .max_ns = MAX_NS};

	ck_assert(cpu_share_begin(&s));
	ck_assert_int_eq(s.credit_ns, MAX_NS);
	ck_assert_uint_lt(cpu_share_end(&s), NS_PER_S);
}
END_TEST

START_TEST(work_takes_credit_and_time_gives_it)
{
	struct cpu_share s = {.part = 1000, .max_ns = MAX_NS};

	ck_assert_uint_ge(work(&s, 3 * MAX_NS / 2), 3 * MAX_NS / 2);
	ck_assert(!may_work_after(&s, 0));
	ck_assert(!may_work_after(&s, 100 * MAX_NS));
	ck_assert(may_work_after(&s, 1000 * MAX_NS));
}
END_TEST

START_TEST(neither_credit_nor_debt_adds_up)
{
	struct cpu_share s = {.part = 1000, .max_ns = MAX_NS};

	ck_assert(cpu_share_begin(&s));
	cpu_share_end(&s);
	ck_assert(may_work_after(&s, 1000000 * MAX_NS));
	ck_assert_int_le(s.credit_ns, MAX_NS);
	work(&s, UINT64_C(1) << 62);
	work(&s, UINT64_C(1) << 62);
	ck_assert_int_ge(s.credit_ns, -(int64_t)MAX_NS);
	ck_assert(may_work_after(&s, 1500 * MAX_NS));
}
END_TEST

SUITE_MAIN("cpu_share", the_whole_credit_is_there_at_the_start, work_takes_credit_and_time_gives_it,
	   neither_credit_nor_debt_adds_up)
