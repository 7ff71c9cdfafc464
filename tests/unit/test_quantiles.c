// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "report/statistics/quantiles.h"
#include "tests/unit/suite.h"

/*
 * The tables are those of the NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7: critical
 * values of the normal, Student's t, F and chi-squared distributions, with three decimals.
 */
#define DECIMALS 0.0005001

START_TEST(student)
{
	static const struct {
		double df, p, value;
	} table[] = {
		{1, 0.90, 3.078},   {1, 0.975, 12.706},  {2, 0.975, 4.303},  {2, 0.95, 2.920},
		{3, 0.975, 3.182},  {4, 0.975, 2.776},   {4, 0.995, 4.604},  {5, 0.999, 5.893},
		{8, 0.975, 2.306},  {10, 0.90, 1.372},   {10, 0.995, 3.169}, {20, 0.975, 2.086},
		{30, 0.975, 2.042}, {100, 0.975, 1.984}, {100, 0.95, 1.660}, {1e9, 0.975, 1.960},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		double t = student_quantile(table[i].p, table[i].df);

		ck_assert_double_eq_tol(t, table[i].value, DECIMALS);
		ck_assert_double_eq_tol(student_two_sided(t, table[i].df), 2 * (1 - table[i].p),
					1e-9);
		ck_assert_double_eq_tol(student_two_sided(-t, table[i].df), 2 * (1 - table[i].p),
					1e-9);
	}
	ck_assert_double_eq_tol(student_quantile(0.975, INFINITY), 1.960, DECIMALS);
	ck_assert_double_eq_tol(student_two_sided(2.576, INFINITY), 0.01, 0.0001);
}
END_TEST

/* Welch's degrees of freedom are no whole numbers: their quantiles lie between those of whole. */
START_TEST(student_between)
{
	for (double df = 2; df < 60; df += 0.37) {
		double t = student_quantile(0.975, df);

		ck_assert_double_lt(t, student_quantile(0.975, floor(df) - 0.001));
		ck_assert_double_gt(t, student_quantile(0.975, ceil(df) + 0.001));
	}
}
END_TEST

START_TEST(chi_square)
{
	static const struct {
		double df, p, value;
	} table[] = {
		{2, 0.10, 0.211},   {3, 0.10, 0.584},   {4, 0.10, 1.064},   {4, 0.025, 0.484},
		{5, 0.05, 1.145},   {10, 0.10, 4.865},  {10, 0.05, 3.940},  {10, 0.01, 2.558},
		{20, 0.10, 12.443}, {30, 0.05, 18.493}, {50, 0.10, 37.689},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		ck_assert_double_eq_tol(chi_square_quantile(table[i].p, table[i].df),
					table[i].value, DECIMALS);
}
END_TEST

/* A quantile f of F with a and b degrees of freedom is one of beta: a f / (a f + b). */
START_TEST(beta)
{
	static const struct {
		double a, b, f; /* upper 5 % of F */
	} table[] = {
		{1, 10, 4.965}, {2, 10, 4.103},  {5, 10, 3.326},  {10, 10, 2.978},
		{4, 8, 3.838},  {10, 20, 2.348}, {1, 100, 3.936}, {3, 5, 5.409},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		double a = table[i].a, b = table[i].b;
		double x = beta_quantile(0.95, a / 2, b / 2);

		ck_assert_double_eq_tol(x * b / ((1 - x) * a), table[i].f, DECIMALS);
		ck_assert_double_eq_tol(beta_probability(x, a / 2, b / 2), 0.95, 1e-9);
	}
}
END_TEST

/* Counts of a profile: from half a count to millions, with nearly all on one side. */
START_TEST(beta_is_never_lost)
{
	static const double counts[] = {0.5, 0.6, 1.5, 3, 19.5, 1000.5, 33333.3, 1e6, 1e8};

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		for (size_t j = 0; j < ARRAY_SIZE(counts); j++) {
			double low = beta_quantile(0.025, counts[i], counts[j]);
			double high = beta_quantile(0.975, counts[i], counts[j]);

			ck_assert_msg(low >= 0 && low < high && high <= 1, "beta %g %g: %g %g",
				      counts[i], counts[j], low, high);
			ck_assert_double_eq_tol(beta_probability(low, counts[i], counts[j]), 0.025,
						1e-5);
			/*
			 * Near 1, BETA_ACCURACY is of the number, and not of its distance from 1.
			 */
			ck_assert_double_eq_tol(beta_probability(high, counts[i], counts[j]), 0.975,
						2e-3);
		}
	}
}
END_TEST

START_TEST(no_answer_is_nan)
{
	ck_assert_double_nan(student_quantile(0.975, -1));
	ck_assert_double_nan(chi_square_quantile(2, 4));
}
END_TEST

/* By R's pbeta. */
START_TEST(beta_of_large_counts)
{
	static const struct {
		double a, b, x, below;
	} table[] = {
		{1e+06, 1e+06, 0.5, 0.5000000},    {1e+06, 1e+06, 0.5003, 0.8019280},
		{1e+08, 1e+06, 0.9901, 0.5398968}, {1e+08, 1e+08, 0.50001, 0.6113513},
		{1e+06, 19.5, 0.99998, 0.4255258}, {1e+08, 1000.5, 0.99999, 0.5019767},
		{1e+06, 0.5, 0.999999, 0.1572992},
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		ck_assert_double_eq_tol(beta_probability(table[i].x, table[i].a, table[i].b),
					table[i].below, 1e-5);
}
END_TEST

SUITE_MAIN("quantiles", student, student_between, chi_square, beta, beta_is_never_lost,
	   beta_of_large_counts, no_answer_is_nan)
