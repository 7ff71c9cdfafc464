// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/search.h"

#include "tests/unit/suite.h"

START_TEST(all_lengths_and_places)
{
	for (size_t nr = 0; nr < 20; nr++)
		for (size_t first = 0; first <= nr; first++)
			ck_assert_uint_eq(search_first(nr, i, i >= first), first);
}
END_TEST

START_TEST(equal_elements)
{
	static const int numbers[] = {1, 3, 3, 3, 5};

	ck_assert_uint_eq(search_first(5, i, numbers[i] >= 3), 1);
	ck_assert_uint_eq(search_first(5, i, numbers[i] > 3), 4);
	ck_assert_uint_eq(search_first(5, i, numbers[i] >= 2), 1);
	ck_assert_uint_eq(search_first(5, i, numbers[i] > 5), 5);
}
END_TEST

/* It looks at a few elements, each within the range. */
START_TEST(few_looks)
{
	unsigned int nr_looks = 0;

	ck_assert_uint_eq(search_first((size_t)1 << 40, i, (nr_looks++, i >= 12345)), 12345);
	ck_assert_uint_le(nr_looks, 41);
}
END_TEST

SUITE_MAIN("search", all_lengths_and_places, equal_elements, few_looks)
