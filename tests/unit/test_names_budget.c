// SPDX-License-Identifier: GPL-2.0-or-later
/* The clock is the test's own (--wrap). */
#include "record/symbols/names_budget.h"

#include "record/looks/file_owner.h"
#include "tests/unit/played_clock.h"
#include "tests/unit/suite.h"

/* As in names_budget.c: what one user and all can have at once, by parts of the time. */
#define CPU_MAX_NS NS_PER_S
#define CPU_PART   200
#define CPU_MIN_NS (5 * NS_PER_MS)
#define DEATH_NS   (CPU_MAX_NS / 4)

#define ALICE 1000
#define BOB   1001
#define CAROL 1002

static struct names_budget budget;

static void begin(void)
{
	now_ns = 1000 * NS_PER_S;
	names_budget_init(&budget);
}

static void end(void)
{
	names_budget_deinit(&budget);
}

static void use(uint32_t owner, uint64_t ns)
{
	names_budget_charge(&budget, owner, ns, false);
}

/* A file may take half of what its owner has. The rest comes back with time. */
START_TEST(time_of_a_user)
{
	ck_assert_uint_eq(names_budget_limit(&budget, ALICE), CPU_MAX_NS / 2);
	use(ALICE, CPU_MAX_NS - 100 * NS_PER_MS);
	ck_assert_uint_eq(names_budget_limit(&budget, ALICE), 50 * NS_PER_MS);
	ck_assert_uint_eq(names_budget_limit(&budget, BOB), CPU_MAX_NS / 2);
	use(ALICE, 100 * NS_PER_MS - 2 * CPU_MIN_NS);
	ck_assert_uint_eq(names_budget_limit(&budget, ALICE), CPU_MIN_NS);
	use(ALICE, 1);
	ck_assert_uint_eq(names_budget_limit(&budget, ALICE), 0);
	now_ns += CPU_PART;
	ck_assert_uint_eq(names_budget_limit(&budget, ALICE), CPU_MIN_NS);
}
END_TEST

/* All others together have twice as much as one of them, and root has its own. */
START_TEST(time_of_all_users)
{
	use(ALICE, CPU_MAX_NS);
	use(BOB, CPU_MAX_NS - 100 * NS_PER_MS);
	ck_assert_uint_eq(names_budget_limit(&budget, CAROL), 50 * NS_PER_MS);
	ck_assert_uint_eq(names_budget_limit(&budget, 0), CPU_MAX_NS / 2);
	use(0, CPU_MAX_NS / 2);
	ck_assert_uint_eq(names_budget_limit(&budget, 0), CPU_MAX_NS / 4);
	ck_assert_uint_eq(names_budget_limit(&budget, CAROL), 50 * NS_PER_MS);
	/* The owner whom a user's own file system claims is a user, too. */
	ck_assert_uint_eq(names_budget_limit(&budget, FILE_OWNER_UNSURE), 50 * NS_PER_MS);
}
END_TEST

/* A file that the child dies of costs its owner more, but not the others. */
START_TEST(cost_of_a_death)
{
	names_budget_charge(&budget, ALICE, 1, true);
	ck_assert_uint_eq(names_budget_limit(&budget, ALICE), (CPU_MAX_NS - DEATH_NS) / 2);
	names_budget_charge(&budget, ALICE, DEATH_NS + 100, true);
	ck_assert_uint_eq(names_budget_limit(&budget, ALICE), (CPU_MAX_NS - 2 * DEATH_NS) / 2 - 50);
	use(BOB, CPU_MAX_NS);
	/* Of the two seconds of all, what was used is gone. */
	ck_assert_uint_eq(names_budget_limit(&budget, CAROL), (CPU_MAX_NS - DEATH_NS - 101) / 2);
}
END_TEST

START_TEST(who_is_thrifty)
{
	ck_assert(names_budget_is_thrifty(&budget, ALICE));
	use(ALICE, CPU_MAX_NS / 2 - 1);
	ck_assert(names_budget_is_thrifty(&budget, ALICE));
	use(ALICE, 1);
	ck_assert(!names_budget_is_thrifty(&budget, ALICE));
	ck_assert(names_budget_is_thrifty(&budget, BOB));
	use(0, CPU_MAX_NS);
	ck_assert(names_budget_is_thrifty(&budget, 0));
}
END_TEST

SUITE_MAIN_WITH("names_budget", begin, end, time_of_a_user, time_of_all_users, cost_of_a_death,
		who_is_thrifty)
