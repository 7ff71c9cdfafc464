// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/output/schedule.h"
#include "tests/unit/suite.h"

#define S UINT64_C(1000000000)
#define T (1000 * S) /* any start */

START_TEST(epochs_grow)
{
	struct schedule s;

	schedule_begin(&s, T, 0, 0, 0);
	ck_assert_uint_eq(schedule_epoch_due(&s), T + 5 * S);
	ck_assert_uint_eq(schedule_next(&s), T + 5 * S);
	ck_assert_uint_eq(schedule_interval_end(&s), SCHEDULE_NEVER);
	ck_assert_uint_eq(schedule_planned_s(&s), 0);
	s.epoch_begin_ns = T + S / 2;
	ck_assert_uint_eq(schedule_epoch_due(&s), T + S / 2 + 5 * S);
	s.epoch_begin_ns = T + 3 * S;
	ck_assert_uint_eq(schedule_epoch_due(&s), T + 18 * S);
	s.epoch_begin_ns = T + 20 * S;
	ck_assert_uint_eq(schedule_epoch_due(&s), T + 80 * S);
	s.epoch_begin_ns = T + 100 * S;
	ck_assert_uint_eq(schedule_epoch_due(&s), T + 160 * S);
}
END_TEST

/* An epoch ends with its interval, however late the one before ended. */
START_TEST(intervals_do_not_drift)
{
	struct schedule s;

	schedule_begin(&s, T, 0, 3 * S, 0);
	ck_assert_uint_eq(schedule_epoch_due(&s), T + 3 * S);
	s.epoch_begin_ns = T + 3 * S; /* to the nanosecond: the next one's */
	ck_assert_uint_eq(schedule_interval_end(&s), T + 6 * S);
	s.epoch_begin_ns = T + 3 * S + 1234567;
	ck_assert_uint_eq(schedule_epoch_due(&s), T + 6 * S);
	s.epoch_begin_ns = T + 12 * S - 1;
	ck_assert_uint_eq(schedule_epoch_due(&s), T + 12 * S);
	/* A long interval has several epochs. */
	schedule_begin(&s, T, 0, 3600 * S, 0);
	ck_assert_uint_eq(schedule_epoch_due(&s), T + 5 * S);
	s.epoch_begin_ns = T + 3599 * S;
	ck_assert_uint_eq(schedule_epoch_due(&s), T + 3600 * S);
}
END_TEST

START_TEST(what_is_due_first)
{
	struct schedule s;

	schedule_begin(&s, T, 4 * S, 0, 0);
	ck_assert_uint_eq(schedule_next(&s), T + 4 * S);
	ck_assert_uint_eq(schedule_planned_s(&s), 4);
	schedule_begin(&s, T, 4 * S, 0, 2 * S);
	ck_assert_uint_eq(schedule_next(&s), T + 2 * S);
	ck_assert_uint_eq(schedule_planned_s(&s), 2);
	schedule_begin(&s, T, 4 * S, 1 * S, 2 * S);
	ck_assert_uint_eq(schedule_next(&s), T + 1 * S);
}
END_TEST

START_TEST(rotations_do_not_drift)
{
	struct schedule s;

	schedule_begin(&s, T, 25 * S, 4 * S, 10 * S);
	schedule_rotate(&s, T + 10 * S + 5);
	ck_assert_uint_eq(s.rotate_due_ns, T + 20 * S);
	ck_assert_uint_eq(schedule_planned_s(&s), 10);
	/* Intervals are counted from the start of their recording. */
	ck_assert_uint_eq(schedule_interval_end(&s), T + 14 * S + 5);
	schedule_rotate(&s, T + 20 * S + 7);
	ck_assert_uint_eq(s.rotate_due_ns, T + 30 * S);
	ck_assert_uint_eq(schedule_planned_s(&s), 5);
	ck_assert_uint_eq(s.end_ns, T + 25 * S);
}
END_TEST

START_TEST(rotations_on_request_and_late_ones)
{
	struct schedule s;

	schedule_begin(&s, T, 0, 0, 10 * S);
	schedule_rotate(&s, T + 7 * S);
	ck_assert_uint_eq(s.rotate_due_ns, T + 17 * S);
	/* The machine slept: what was missed is not made up for. */
	schedule_rotate(&s, T + 50 * S);
	ck_assert_uint_eq(s.rotate_due_ns, T + 57 * S);
	schedule_begin(&s, T, 0, 0, 0);
	schedule_rotate(&s, T + 7 * S);
	ck_assert_uint_eq(s.rotate_due_ns, SCHEDULE_NEVER);
	ck_assert_uint_eq(schedule_epoch_due(&s), T + 12 * S);
}
END_TEST

SUITE_MAIN("schedule", epochs_grow, intervals_do_not_drift, what_is_due_first,
	   rotations_do_not_drift, rotations_on_request_and_late_ones)
