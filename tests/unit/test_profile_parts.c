// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/clock.h"
#include "report/push/profile_parts.h"
#include "tests/unit/suite.h"

#define S NS_PER_S

static uint32_t windows[400];

START_TEST(seconds_make_minutes)
{
	struct model_slot slots[150];

	for (uint64_t i = 0; i < ARRAY_SIZE(slots); i++)
		slots[i] = (struct model_slot){i * S, (i + 1) * S};
	ck_assert_uint_eq(slots_divide(slots, ARRAY_SIZE(slots), windows), 3);
	for (uint32_t i = 0; i < ARRAY_SIZE(slots); i++)
		ck_assert_uint_eq(windows[i], i / 60);
}
END_TEST

START_TEST(no_window_is_longer_than_a_minute)
{
	struct model_slot slots[300];
	uint64_t begins[400] = {0};

	for (uint64_t i = 0; i < ARRAY_SIZE(slots); i++)
		slots[i] = (struct model_slot){i * 7 * S, (i + 1) * 7 * S};
	ck_assert_uint_eq(slots_divide(slots, ARRAY_SIZE(slots), windows), 38);
	for (uint32_t i = 0; i < ARRAY_SIZE(slots); i++) {
		if (!i || windows[i] != windows[i - 1])
			begins[windows[i]] = slots[i].begin_ns;
		ck_assert_uint_le(slots[i].end_ns - begins[windows[i]], PROFILE_NS_MAX);
	}
}
END_TEST

START_TEST(long_slots_stay_whole)
{
	const struct model_slot slots[] = {
		{0, S}, {S, 100 * S}, {100 * S, 300 * S}, {300 * S, 301 * S}};

	ck_assert_uint_eq(slots_divide(slots, ARRAY_SIZE(slots), windows), 4);
	for (uint32_t i = 0; i < ARRAY_SIZE(slots); i++)
		ck_assert_uint_eq(windows[i], i);
}
END_TEST

START_TEST(time_that_goes_back_begins_a_window)
{
	const struct model_slot slots[] = {{100 * S, 101 * S}, {0, S}, {S, 2 * S}};

	ck_assert_uint_eq(slots_divide(slots, ARRAY_SIZE(slots), windows), 2);
	ck_assert_uint_eq(windows[1], 1);
	ck_assert_uint_eq(windows[2], 1);
}
END_TEST

START_TEST(times_of_any_size)
{
	const struct model_slot slots[] = {{0, UINT64_MAX}, {UINT64_MAX, UINT64_MAX}, {0, 0}};

	ck_assert_uint_eq(slots_divide(slots, ARRAY_SIZE(slots), windows), 3);
	ck_assert_uint_eq(slots_divide(NULL, 0, windows), 0);
}
END_TEST

SUITE_MAIN("profile_parts", seconds_make_minutes, no_window_is_longer_than_a_minute,
	   long_slots_stay_whole, time_that_goes_back_begins_a_window, times_of_any_size)
