// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/statistics/false_discoveries.h"
#include "tests/unit/suite.h"

/* The example of Benjamini and Hochberg's paper, section 4.1: 15 hypotheses, four rejected. */
START_TEST(published_example)
{
	double p[] = {0.7590, 0.0001, 0.0278, 0.0004, 0.3240, 0.0019, 0.0298, 0.0095,
		      0.0344, 0.0459, 0.4262, 0.0201, 0.5719, 0.6528, 1.0000};
	size_t nr_found;
	double level = discoveries_level(p, ARRAY_SIZE(p), 0.05, &nr_found);

	ck_assert_uint_eq(nr_found, 4);
	ck_assert_double_eq_tol(p[3], 0.0095, 1e-12);
	ck_assert_double_eq_tol(level, 0.05 * 5 / 15, 1e-12);
}
END_TEST

/* A p-value that is too large alone is found if the ones after it are small enough. */
START_TEST(steps_up)
{
	double p[] = {0.04, 0.045, 0.05};
	size_t nr_found;

	ck_assert_double_eq_tol(discoveries_level(p, 3, 0.05, &nr_found), 0.05, 1e-12);
	ck_assert_uint_eq(nr_found, 3);
}
END_TEST

START_TEST(nothing_found)
{
	double p[] = {0.9, 0.02, 0.5};
	size_t nr_found = 7;

	ck_assert_double_eq_tol(discoveries_level(p, 3, 0.05, &nr_found), 0.05 / 3, 1e-12);
	ck_assert_uint_eq(nr_found, 0);
	ck_assert_double_eq_tol(discoveries_level(NULL, 0, 0.05, &nr_found), 0.05, 1e-12);
	ck_assert_uint_eq(nr_found, 0);
}
END_TEST

SUITE_MAIN("false_discoveries", published_example, steps_up, nothing_found)
