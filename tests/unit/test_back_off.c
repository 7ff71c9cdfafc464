// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/clock.h"
#include "report/push/back_off.h"
#include "tests/unit/suite.h"

START_TEST(doubles_up_to_a_minute)
{
	struct back_off back_off = {0};
	uint64_t whole = NS_PER_S / 2;

	for (int i = 0; i < 20; i++) {
		ck_assert_uint_eq(back_off_fail(&back_off, 0, 0), whole / 2);
		whole = whole < 64 * NS_PER_S ? whole * 2 : whole;
	}
	ck_assert_uint_eq(whole, 64 * NS_PER_S);
}
END_TEST

START_TEST(stays_between_half_and_the_whole)
{
	for (uint64_t random = 0; random < UINT64_MAX / 2; random = random * 3 + 7) {
		struct back_off back_off = {0};
		uint64_t first = back_off_fail(&back_off, 0, random);
		uint64_t second = back_off_fail(&back_off, 0, random);

		ck_assert_uint_ge(first, NS_PER_S / 4);
		ck_assert_uint_le(first, NS_PER_S / 2);
		ck_assert_uint_ge(second, NS_PER_S / 2);
		ck_assert_uint_le(second, NS_PER_S);
	}
}
END_TEST

START_TEST(hosts_differ)
{
	struct back_off a = {0}, b = {0};

	ck_assert_uint_ne(back_off_fail(&a, 0, 1), back_off_fail(&b, 0, 2));
}
END_TEST

START_TEST(begins_again_after_success)
{
	struct back_off back_off = {0};

	for (int i = 0; i < 5; i++)
		back_off_fail(&back_off, 0, 0);
	back_off_reset(&back_off);
	ck_assert_uint_eq(back_off_fail(&back_off, 0, 0), NS_PER_S / 4);
}
END_TEST

START_TEST(waits_as_the_receiver_asks)
{
	struct back_off back_off = {0};

	ck_assert_uint_eq(back_off_fail(&back_off, 7, 0), 7 * NS_PER_S);
	/* Not for ever, and no shorter than without. */
	ck_assert_uint_eq(back_off_fail(&back_off, UINT64_MAX, 0), 600 * NS_PER_S);
	for (int i = 0; i < 20; i++)
		back_off_fail(&back_off, 0, 0);
	ck_assert_uint_eq(back_off_fail(&back_off, 1, 0), 32 * NS_PER_S);
}
END_TEST

SUITE_MAIN("back_off", doubles_up_to_a_minute, stays_between_half_and_the_whole, hosts_differ,
	   begins_again_after_success, waits_as_the_receiver_asks)
