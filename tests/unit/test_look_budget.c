// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/look_budget.h"

#include "common/clock.h"
#include "tests/unit/suite.h"

/* Ends a look that seems to have taken @took_ns of CPU time, and little more. Returns its pause. */
static uint64_t look(struct look_budget *b, uint64_t took_ns, bool is_cut)
{
	uint64_t until_ns, now_ns;

	look_budget_begin(b);
	b->share.cpu_ns -= took_ns;
	until_ns = look_budget_end(b, 7, is_cut);
	now_ns = clock_monotonic_ns();
	return until_ns > now_ns ? until_ns - now_ns : 0;
}

START_TEST(the_first_look_reads_all)
{
	struct look_budget b;

	look_budget_init(&b, NULL);
	ck_assert_uint_eq(look_budget_begin(&b), LOOK_MAPPINGS_MAX);
	look_budget_end(&b, 7, false);
	ck_assert_uint_eq(look_budget_begin(&b), LOOK_MAPPINGS_MAX);
}
END_TEST

/* The next look has to wait a hundred times as long, less the time that passed since the end. */
START_TEST(a_long_look_pauses_long)
{
	struct look_budget b;

	look_budget_init(&b, NULL);
	ck_assert_uint_gt(look(&b, 1000 * NS_PER_S, false), 50000 * NS_PER_S);
	ck_assert_uint_lt(look(&b, 0, false), 50000 * NS_PER_S);
}
END_TEST

START_TEST(a_cut_look_pauses_and_is_counted)
{
	struct look_budget b;

	look_budget_init(&b, NULL);
	ck_assert_uint_gt(look(&b, 1000 * NS_PER_S, true), 50000 * NS_PER_S);
	ck_assert_uint_eq(shares_nr_lacked(&b.left_out), 1);
	look(&b, 0, false);
	ck_assert_uint_eq(shares_nr_lacked(&b.left_out), 1);
	look_budget_begin(&b);
	ck_assert_uint_gt(look_budget_end(&b, 8, true), b.share.credited_ns + NS_PER_S - 1);
	ck_assert_uint_eq(shares_nr_lacked(&b.left_out), 2);
	look_budget_deinit(&b);
}
END_TEST

/* A spent share comes back with time, and looks read few mappings until then. */
START_TEST(a_spent_share_comes_back)
{
	struct look_budget b;

	look_budget_init(&b, NULL);
	look(&b, 1000 * NS_PER_S, false);
	/* As if the look had ended a moment ago, however slow the machine is. */
	b.share.credited_ns = clock_monotonic_ns();
	ck_assert_uint_eq(look_budget_begin(&b), LOOK_MAPPINGS_SPENT);
	look_budget_end(&b, 7, false);
	b.share.credited_ns = clock_monotonic_ns() - 20 * NS_PER_S;
	ck_assert_uint_eq(look_budget_begin(&b), LOOK_MAPPINGS_MAX);
	look_budget_end(&b, 7, false);
}
END_TEST

START_TEST(credit_is_bounded)
{
	struct look_budget b;

	look_budget_init(&b, NULL);
	look_budget_begin(&b);
	b.share.credited_ns -= 1000 * NS_PER_S;
	look_budget_begin(&b);
	look(&b, NS_PER_S, false);
	b.share.credited_ns = clock_monotonic_ns();
	ck_assert_uint_eq(look_budget_begin(&b), LOOK_MAPPINGS_SPENT);
	look_budget_end(&b, 7, false);
}
END_TEST

START_TEST(long_waits_are_counted)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct look_budget b;

	look_budget_init(&b, NULL);
	ck_assert(!look_budget_must_wait(&b, 7, 0));
	ck_assert(!look_budget_must_wait(&b, 7, now_ns));
	ck_assert_uint_eq(shares_nr_lacked(&b.left_out), 0);
	ck_assert(look_budget_must_wait(&b, 7, now_ns + 1000 * NS_PER_S));
	ck_assert(look_budget_must_wait(&b, 8, now_ns + 1000 * NS_PER_S));
	look_budget_leave_out(&b, 8);
	ck_assert_uint_eq(shares_nr_lacked(&b.left_out), 3);
	ck_assert_uint_eq(shares_most_lacked(&b.left_out)->uid, 8);
	look_budget_deinit(&b);
}
END_TEST

/* Who has had many looks gets fewer, others and root do not, and it passes. */
START_TEST(users_have_shares)
{
	struct look_budget b;

	look_budget_init(&b, NULL);
	ck_assert_int_eq(look_budget_haste(&b, 7), LOOK_AT_ONCE);
	look(&b, 80 * NS_PER_MS, false);
	look_budget_charge(&b, 7);
	ck_assert_int_eq(look_budget_haste(&b, 7), LOOK_LATER);
	look_budget_charge(&b, 7);
	ck_assert_int_eq(look_budget_haste(&b, 7), LOOK_NEVER);
	ck_assert_int_eq(look_budget_haste(&b, 8), LOOK_AT_ONCE);
	for (int i = 0; i < 10; i++)
		look_budget_charge(&b, 0);
	ck_assert_int_eq(look_budget_haste(&b, 0), LOOK_AT_ONCE);
	b.owners.accounts.data[0].full_ns -= 16 * NS_PER_S;
	ck_assert_int_eq(look_budget_haste(&b, 7), LOOK_LATER);
	b.owners.accounts.data[0].full_ns -= 40 * NS_PER_S;
	ck_assert_int_eq(look_budget_haste(&b, 7), LOOK_AT_ONCE);
	look_budget_deinit(&b);
}
END_TEST

SUITE_MAIN("look_budget", users_have_shares, long_waits_are_counted, the_first_look_reads_all,
	   a_long_look_pauses_long, a_cut_look_pauses_and_is_counted, a_spent_share_comes_back,
	   credit_is_bounded)
