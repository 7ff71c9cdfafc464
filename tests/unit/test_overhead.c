// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/bpf/overhead.h"

#include "common/clock.h"
#include "tests/unit/suite.h"

/* Half a second between the checks. */
#define STEP_NS (NS_PER_S / 2)

static struct overhead o;
static uint64_t now_ns, run_ns[MAX_EVENTS];
static struct overhead_finding found;

static void begin(void)
{
	o = (struct overhead){.limit_percent = 10, .nr_events = 3};
	memset(run_ns, 0, sizeof(run_ns));
	now_ns = 1000 * NS_PER_S;
	overhead_judge(&o, run_ns, now_ns, &found);
	ck_assert(!found.percent);
}

/* The hits of the events take these parts of a CPU, in percent, until the next check. */
static void take(unsigned int first, unsigned int second, unsigned int third)
{
	run_ns[0] += STEP_NS / 100 * first;
	run_ns[1] += STEP_NS / 100 * second;
	run_ns[2] += STEP_NS / 100 * third;
	now_ns += STEP_NS;
	overhead_judge(&o, run_ns, now_ns, &found);
}

START_TEST(below_the_limit)
{
	for (int i = 0; i < 1000; i++) {
		take(3, 3, 4);
		ck_assert(!found.percent);
	}
	ck_assert_uint_eq(o.gaps[0], 0);
}
END_TEST

START_TEST(the_user_hears_once_a_minute)
{
	int nr = 0;

	for (int i = 0; i < 240; i++) {
		take(1, 30, 2);
		if (!found.percent)
			continue;
		nr++;
		ck_assert_double_eq_tol(found.percent, 33, 0.1);
		ck_assert_uint_eq(found.event, 1);
		ck_assert_uint_eq(found.gap, 0);
	}
	ck_assert_int_eq(nr, 2);
}
END_TEST

/* Of 32 %, two events take little, and keep it. The third has what they leave of 7.5 %. */
START_TEST(the_dearest_event_is_shed)
{
	o.sheds = true;
	take(1, 30, 1);
	ck_assert_uint_eq(o.gaps[0], 1);
	ck_assert_uint_eq(o.gaps[1], 6); /* 30 / 5.5 */
	ck_assert_uint_eq(o.gaps[2], 1);
	ck_assert_uint_eq(found.gap, 6);
	/* It is still too much. */
	take(1, 11, 1);
	ck_assert_uint_eq(o.gaps[1], 12);
	take(1, 5, 1);
	ck_assert_uint_eq(o.gaps[1], 12);
	ck_assert_uint_eq(o.largest[1], 12);
}
END_TEST

START_TEST(hits_come_back)
{
	o.sheds = true;
	take(0, 60, 0);
	ck_assert_uint_eq(o.gaps[1], 8);
	take(0, 0, 0);
	ck_assert_uint_eq(o.gaps[1], 4);
	take(0, 0, 0);
	ck_assert_uint_eq(o.gaps[1], 2);
	for (int i = 0; i < 3; i++)
		take(0, 0, 0);
	ck_assert_uint_eq(o.gaps[1], 1);
	ck_assert_uint_eq(o.largest[1], 8);
	overhead_begin_recording(&o);
	ck_assert_uint_eq(o.largest[1], 1);
}
END_TEST

START_TEST(a_gap_has_a_limit)
{
	o.sheds = true;
	for (int i = 0; i < 20; i++)
		take(5000, 0, 0);
	ck_assert_uint_eq(o.gaps[0], (1 << SHED_GAP_BITS) - 1);
}
END_TEST

SUITE_MAIN_WITH("overhead", begin, NULL, below_the_limit, the_user_hears_once_a_minute,
		the_dearest_event_is_shed, hits_come_back, a_gap_has_a_limit)
