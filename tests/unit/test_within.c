// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "report/statistics/within.h"
#include "tests/unit/simulated.h"
#include "tests/unit/suite.h"

#define NR_SLICES 240
#define SAMPLES   198

/* Fills in slices of a function with 10 %, whose logarithm varies by @noise, correlated by @rho. */
static void draw(gsl_rng *rng, struct observation *items, double share, double noise, double rho)
{
	double x = gsl_ran_gaussian(rng, noise);

	for (int i = 0; i < NR_SLICES; i++) {
		double p = fmin(share * exp(x), 1);

		items[i] =
			(struct observation){gsl_ran_binomial(rng, p, SAMPLES), SAMPLES, SAMPLES};
		x = rho * x + gsl_ran_gaussian(rng, noise * sqrt(1 - rho * rho));
	}
}

static struct change compare(const struct observation *a, const struct observation *b, size_t nr)
{
	const struct slices before = {a, nr}, after = {b, nr};
	const struct observations all[] = {{a, nr}, {b, nr}};
	const struct observed_totals sums[] = {observations_add_up(&all[0]),
					       observations_add_up(&all[1])};
	double scratch[NR_SLICES];
	struct change change = {
		.before = sums[0].count / sums[0].units,
		.after = sums[1].count / sums[1].units,
		.low = NAN,
		.high = NAN,
		.p_value = NAN,
		.error = INFINITY,
	};

	change.relative = change.after / change.before - 1;
	within_estimate(&change, &before, &after, scratch);
	return change;
}

/*
 * Intervals hold the planted change where slices differ by chance, and nearly as often where each
 * resembles its neighbours. There is never a p-value.
 */
static void expect_coverage(double noise, double rho, double share, int least)
{
	struct observation a[NR_SLICES], b[NR_SLICES];
	gsl_rng *rng = simulated_begin(1);
	int inside = 0;

	for (int i = 0; i < 1000; i++) {
		struct change change;

		draw(rng, a, share, noise, rho);
		draw(rng, b, share * 1.1, noise, rho);
		change = compare(a, b, NR_SLICES);
		inside += change.low <= 0.1 && change.high >= 0.1;
		ck_assert_double_nan(change.p_value);
	}
	gsl_rng_free(rng);
	ck_assert_msg(inside >= least && inside <= 985, "noise %g, correlation %g: %d", noise, rho,
		      inside);
}

START_TEST(coverage)
{
	expect_coverage(0, 0, 0.10, 930);
	expect_coverage(0.2, 0, 0.10, 930);
	expect_coverage(0.2, 0.8, 0.10, 890);
}
END_TEST

START_TEST(too_short)
{
	struct observation a[NR_SLICES], b[NR_SLICES];
	gsl_rng *rng = simulated_begin(2);
	struct change change;

	draw(rng, a, 0.1, 0, 0);
	draw(rng, b, 0.2, 0, 0);
	change = compare(a, b, WITHIN_SLICES_MIN - 1);
	ck_assert_double_nan(change.low);
	change = compare(a, b, NR_SLICES);
	ck_assert_double_gt(change.low, 0.5);
	/* A function whose slices are all alike on one side, then on another, is one slice each. */
	for (int i = 0; i < NR_SLICES; i++)
		a[i].count = i < NR_SLICES / 2 ? 10 : 40;
	change = compare(a, b, NR_SLICES);
	ck_assert_double_nan(change.low);
	gsl_rng_free(rng);
}
END_TEST

SUITE_MAIN("within", coverage, too_short)
