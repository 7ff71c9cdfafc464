// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "report/statistics/autocorrelation.h"
#include "tests/unit/simulated.h"
#include "tests/unit/suite.h"

#define NR_SLICES 2000

/* Fills in a series whose neighbours correlate by @rho, with variance 1 and mean 0. */
static void fill_series(gsl_rng *rng, double rho, double *values, size_t nr)
{
	double x = gsl_ran_gaussian(rng, 1), mean = 0;

	for (size_t i = 0; i < nr; i++) {
		values[i] = x;
		mean += x / nr;
		x = rho * x + gsl_ran_gaussian(rng, sqrt(1 - rho * rho));
	}
	for (size_t i = 0; i < nr; i++)
		values[i] -= mean;
}

/* Of such a series, (1 + rho) / (1 - rho) slices are worth one. */
START_TEST(known_correlation)
{
	static const double rhos[] = {0, 0.5, 0.8};
	gsl_rng *rng = simulated_begin(1);
	double values[NR_SLICES];

	for (size_t i = 0; i < ARRAY_SIZE(rhos); i++) {
		double expected = NR_SLICES * (1 - rhos[i]) / (1 + rhos[i]), sum = 0;

		for (int round = 0; round < 50; round++) {
			fill_series(rng, rhos[i], values, NR_SLICES);
			sum += slices_variance(values, NR_SLICES).effective / 50;
		}
		ck_assert_double_gt(sum, 0.75 * expected);
		ck_assert_double_lt(sum, 1.15 * expected);
	}
	gsl_rng_free(rng);
}
END_TEST

START_TEST(variance_of_the_sum)
{
	const double values[] = {1, -1, 2, -2, 1, -1, -3, 3};
	struct slices_variance found = slices_variance(values, ARRAY_SIZE(values));

	/* These take turns, and count as independent: the sum of their squares. */
	ck_assert_double_eq_tol(found.of_sum, 30, 1e-12);
	ck_assert_double_eq_tol(found.effective, 8, 1e-12);
}
END_TEST

START_TEST(too_little_to_tell)
{
	const double values[] = {0, 0, 0};
	struct slices_variance found = slices_variance(values, 3);

	ck_assert_double_eq_tol(found.of_sum, 0, 1e-12);
	ck_assert_double_eq_tol(found.effective, 3, 1e-12);
	found = slices_variance(values, 1);
	ck_assert_double_eq_tol(found.of_sum, 0, 1e-12);
	ck_assert_double_eq_tol(found.effective, 1, 1e-12);
}
END_TEST

SUITE_MAIN("autocorrelation", known_correlation, variance_of_the_sum, too_little_to_tell)
