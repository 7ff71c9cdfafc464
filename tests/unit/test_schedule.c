// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/clock.h"
#include "record/output/schedule.h"
#include "tests/unit/suite.h"

#define S UINT64_C(1000000000)
#define T (1000 * S) /* any start */

static struct schedule s;

/* schedule_begin at T, with lengths as designated initialisers. */
#define BEGIN(...) schedule_begin(&s, T, &(const struct schedule_lengths){__VA_ARGS__})

START_TEST(epochs_grow)
{
	BEGIN(0);
	ck_assert_uint_eq(schedule_next(&s), T + 5 * S);
	ck_assert_uint_eq(schedule_interval_end(&s), SCHEDULE_NEVER);
	ck_assert_uint_eq(schedule_planned_ns(&s), 0);
	s.epoch_begin_ns = T + S / 2;
	ck_assert_uint_eq(schedule_next(&s), T + S / 2 + 5 * S);
	s.epoch_begin_ns = T + 3 * S;
	ck_assert_uint_eq(schedule_next(&s), T + 18 * S);
	s.epoch_begin_ns = T + 20 * S;
	ck_assert_uint_eq(schedule_next(&s), T + 80 * S);
	s.epoch_begin_ns = T + 100 * S;
	ck_assert_uint_eq(schedule_next(&s), T + 160 * S);
}
END_TEST

/* Most names are needed early. Each pause is as long as all the time before it. */
START_TEST(questions_about_names)
{
	BEGIN(.names_ns = S, .duration_ns = 200 * S);
	ck_assert_uint_eq(schedule_next(&s), T + S);
	ck_assert_int_eq(schedule_due(&s, T + S - 1, 0), 0);
	ck_assert_int_eq(schedule_due(&s, T + S, 0), DUE_DRAIN | DUE_NAMES);
	schedule_asked(&s, T + S);
	ck_assert_uint_eq(schedule_next(&s), T + 2 * S);
	schedule_asked(&s, T + 100 * S);
	ck_assert_uint_eq(s.names_due_ns, T + 130 * S);
}
END_TEST

/* An epoch ends with its interval, even if the epoch before it ended late. */
START_TEST(intervals_do_not_drift)
{
	BEGIN(.interval_ns = 3 * S);
	ck_assert_uint_eq(schedule_next(&s), T + 3 * S);
	s.epoch_begin_ns = T + 3 * S; /* the boundary belongs to the next interval */
	ck_assert_uint_eq(schedule_interval_end(&s), T + 6 * S);
	s.epoch_begin_ns = T + 3 * S + 1234567;
	ck_assert_uint_eq(schedule_next(&s), T + 6 * S);
	s.epoch_begin_ns = T + 12 * S - 1;
	ck_assert_uint_eq(schedule_next(&s), T + 12 * S);
	/* A long interval has several epochs. */
	BEGIN(.interval_ns = 3600 * S);
	ck_assert_uint_eq(schedule_next(&s), T + 5 * S);
	s.epoch_begin_ns = T + 3599 * S;
	ck_assert_uint_eq(schedule_next(&s), T + 3600 * S);
}
END_TEST

START_TEST(what_is_due_first)
{
	BEGIN(.duration_ns = 4 * S);
	ck_assert_uint_eq(schedule_next(&s), T + 4 * S);
	ck_assert_uint_eq(schedule_planned_ns(&s), 4 * NS_PER_S);
	BEGIN(.duration_ns = S / 2 + 3);
	ck_assert_uint_eq(schedule_next(&s), T + S / 2 + 3);
	ck_assert_uint_eq(schedule_planned_ns(&s), NS_PER_S / 2);
	BEGIN(.duration_ns = 4 * S, .rotate_ns = 2 * S);
	ck_assert_uint_eq(schedule_next(&s), T + 2 * S);
	ck_assert_uint_eq(schedule_planned_ns(&s), 2 * NS_PER_S);
	BEGIN(.duration_ns = 4 * S, .interval_ns = 1 * S, .rotate_ns = 2 * S);
	ck_assert_uint_eq(schedule_next(&s), T + 1 * S);
}
END_TEST

START_TEST(rotations_do_not_drift)
{
	BEGIN(.duration_ns = 25 * S, .interval_ns = 4 * S, .rotate_ns = 10 * S);
	schedule_rotate(&s, T + 10 * S + 5);
	ck_assert_uint_eq(s.rotate_due_ns, T + 20 * S);
	ck_assert_uint_eq(schedule_planned_ns(&s), 10 * NS_PER_S);
	/* Each recording begins with a new interval. */
	ck_assert_uint_eq(schedule_interval_end(&s), T + 14 * S + 5);
	schedule_rotate(&s, T + 20 * S + 7);
	ck_assert_uint_eq(s.rotate_due_ns, T + 30 * S);
	ck_assert_uint_eq(schedule_planned_ns(&s), 5 * NS_PER_S);
	ck_assert_uint_eq(s.end_ns, T + 25 * S);
}
END_TEST

START_TEST(rotations_on_request_and_late_ones)
{
	BEGIN(.rotate_ns = 10 * S);
	schedule_rotate(&s, T + 7 * S);
	ck_assert_uint_eq(s.rotate_due_ns, T + 17 * S);
	/* While the machine slept, rotations were due. Nobody makes up for them. */
	schedule_rotate(&s, T + 50 * S);
	ck_assert_uint_eq(s.rotate_due_ns, T + 57 * S);
	BEGIN(0);
	schedule_rotate(&s, T + 7 * S);
	ck_assert_uint_eq(s.rotate_due_ns, SCHEDULE_NEVER);
	ck_assert_uint_eq(schedule_next(&s), T + 12 * S);
}
END_TEST

/* A file comes with an epoch, and an epoch with a drain. */
#define DUE_WITH_EPOCH (DUE_EPOCH | DUE_DRAIN)
#define DUE_WITH_FILE  (DUE_FILE | DUE_EPOCH | DUE_DRAIN)

START_TEST(nothing_is_due_before_its_time)
{
	BEGIN(.duration_ns = 60 * S, .interval_ns = 3 * S, .rotate_ns = 20 * S, .status_ns = 1 * S);
	ck_assert_uint_eq(schedule_next(&s), T + 1 * S);
	ck_assert_int_eq(schedule_due(&s, T, 0), 0);
	ck_assert_int_eq(schedule_due(&s, T + 1 * S - 1, 0), 0);
	ck_assert_int_eq(schedule_due(&s, T + 1 * S, 0), DUE_STATUS);
	s.status_due_ns = SCHEDULE_NEVER;
	ck_assert_int_eq(schedule_due(&s, T + 3 * S - 1, 0), 0);
	ck_assert_int_eq(schedule_due(&s, T + 3 * S, 0), DUE_WITH_EPOCH);
}
END_TEST

START_TEST(a_file_is_due_with_its_epoch)
{
	BEGIN(.rotate_ns = 2 * S);
	ck_assert_int_eq(schedule_due(&s, T + 2 * S - 1, 0), 0);
	ck_assert_int_eq(schedule_due(&s, T + 2 * S, 0), DUE_WITH_FILE);
	schedule_rotate(&s, T + 2 * S + 9);
	ck_assert_int_eq(schedule_due(&s, T + 2 * S + 9, 0), 0);
	ck_assert_int_eq(schedule_due(&s, T + 4 * S, 0), DUE_WITH_FILE);
}
END_TEST

START_TEST(signals_and_full_maps_ask)
{
	BEGIN(.status_ns = 1 * S);
	ck_assert_int_eq(schedule_due(&s, T, DUE_DRAIN), DUE_DRAIN);
	ck_assert_int_eq(schedule_due(&s, T, DUE_EPOCH), DUE_WITH_EPOCH);
	ck_assert_int_eq(schedule_due(&s, T, DUE_FILE), DUE_WITH_FILE);
	ck_assert_int_eq(schedule_due(&s, T + 1 * S, DUE_DRAIN), DUE_DRAIN | DUE_STATUS);
	/* A drain that a full map asks for does not put off the epoch. */
	ck_assert_int_eq(schedule_due(&s, T + 5 * S, DUE_DRAIN), DUE_WITH_EPOCH | DUE_STATUS);
}
END_TEST

/* At the end of the run the recorder drains and writes in any case. */
START_TEST(the_end_comes_alone)
{
	BEGIN(.duration_ns = 4 * S, .interval_ns = 2 * S, .rotate_ns = 4 * S, .status_ns = 1 * S);
	ck_assert_int_eq(schedule_due(&s, T + 4 * S - 1, DUE_FILE), DUE_WITH_FILE | DUE_STATUS);
	ck_assert_int_eq(schedule_due(&s, T + 4 * S, 0), DUE_END);
	ck_assert_int_eq(schedule_due(&s, T + 9 * S, DUE_FILE), DUE_END);
}
END_TEST

SUITE_MAIN("schedule", epochs_grow, questions_about_names, intervals_do_not_drift,
	   what_is_due_first, rotations_do_not_drift, rotations_on_request_and_late_ones,
	   nothing_is_due_before_its_time, a_file_is_due_with_its_epoch, signals_and_full_maps_ask,
	   the_end_comes_alone)
