// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/sort.h"

#include "common/compare.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

static unsigned int nr_compared;

static int compare_ints(const void *a, const void *b)
{
	const int *x = a, *y = b;

	nr_compared++;
	COMPARE(*x, *y);
	return 0;
}

static void expect_sorted(int *items, size_t nr)
{
	nr_compared = 0;
	sort_items(items, nr, sizeof(*items), compare_ints);
	for (size_t i = 1; i < nr; i++)
		ck_assert_int_le(items[i - 1], items[i]);
}

START_TEST(any_order)
{
	struct random rng = {.state = 1};

	expect_sorted(NULL, 0);
	for (int round = 0; round < 300; round++) {
		int items[50];
		size_t nr = random_below(&rng, ARRAY_SIZE(items));

		for (size_t i = 0; i < nr; i++)
			items[i] = random_below(&rng, 40);
		expect_sorted(items, nr);
	}
}
END_TEST

START_TEST(last_is_first)
{
	int items[] = {1, 2, 2, 3, 0};

	expect_sorted(items, ARRAY_SIZE(items));
	ck_assert_int_eq(items[0], 0);
}
END_TEST

/* Sorted elements are compared once each. */
START_TEST(sorted_already)
{
	int items[] = {0, 1, 1, 2, 5, 9};

	expect_sorted(items, ARRAY_SIZE(items));
	ck_assert_uint_eq(nr_compared, ARRAY_SIZE(items) - 1);
}
END_TEST

SUITE_MAIN("sort", any_order, last_is_first, sorted_already)
