// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/clock.h"

#include "tests/unit/suite.h"

START_TEST(offsets)
{
	struct clock_offsets o = clock_offsets_parse("monotonic           0         0\n"
						     "boottime            0         0\n");

	ck_assert_int_eq(o.monotonic_ns, 0);
	ck_assert_int_eq(o.boottime_ns, 0);
	o = clock_offsets_parse(
		"monotonic     5000000         7\nboottime    -3000000 999999999\n");
	ck_assert_int_eq(o.monotonic_ns, 5000000000000007);
	ck_assert_int_eq(o.boottime_ns, -2999999000000001);
	o = clock_offsets_parse("realtime 1 1\nboottime\nmonotonic x");
	ck_assert_int_eq(o.monotonic_ns, 0);
	ck_assert_int_eq(o.boottime_ns, 0);
	o = clock_offsets_parse("");
	ck_assert_int_eq(o.monotonic_ns, 0);
}
END_TEST

/* Clocks give what the kernel has. A process may have begun before the zero of its namespace. */
START_TEST(kernel_time)
{
	uint64_t shown = clock_read_ns(CLOCK_MONOTONIC);

	clock_offsets =
		(struct clock_offsets){.monotonic_ns = INT64_C(1) << 62, .boottime_ns = -1000};
	ck_assert_uint_ge(clock_monotonic_ns(), shown - (UINT64_C(1) << 62));
	ck_assert_uint_eq(clock_boottime_of(5), 1005);
	clock_offsets.boottime_ns = -10;
	ck_assert_uint_eq(clock_boottime_of((uint64_t)-3), 7);
}
END_TEST

SUITE_MAIN("clock", offsets, kernel_time)
