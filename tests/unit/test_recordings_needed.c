// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "report/statistics/recordings_needed.h"
#include "tests/unit/simulated.h"
#include "tests/unit/suite.h"

/*
 * For many recordings the number is 15.7 variance / delta^2, as for two normal samples at 5 % and a
 * power of 80 %: (1.960 + 0.842)^2 * 2 = 15.7.
 */
START_TEST(many_recordings)
{
	double variance = 0.01, delta = log1p(0.01);
	double expected = 15.7 * variance / (delta * delta);

	ck_assert_double_eq_tol(recordings_needed(0.01, variance, 0.05), expected, expected / 200);
	ck_assert_uint_eq(recordings_needed(-0.01 / 1.01, variance, 0.05),
			  recordings_needed(0.01, variance, 0.05));
}
END_TEST

START_TEST(limits)
{
	ck_assert_uint_eq(recordings_needed(0.5, 1e-6, 0.05), 3);
	ck_assert_uint_eq(recordings_needed(0.001, 1, 0.05), 0);
	ck_assert_uint_eq(recordings_needed(0, 1, 0.05), 0);
}
END_TEST

/* A stricter test, less noise, and a larger change all go the right way. */
START_TEST(directions)
{
	uint32_t nr = recordings_needed(0.05, 0.001, 0.05);

	ck_assert_uint_gt(recordings_needed(0.05, 0.001, 0.001), nr);
	ck_assert_uint_lt(recordings_needed(0.05, 0.0005, 0.05), nr);
	ck_assert_uint_lt(recordings_needed(0.10, 0.001, 0.05), nr);
}
END_TEST

/* The lower 10 % and 5 % of chi-squared, by NIST's table, bound the bound by 20 %. */
START_TEST(upper_bound)
{
	ck_assert_double_gt(variance_upper_bound(1, 5), 4 / 3.0);
	ck_assert_double_lt(variance_upper_bound(1, 5), 4 / 1.064);
	ck_assert_double_lt(variance_upper_bound(1, 31), 30 / 20.599);
	ck_assert_double_gt(variance_upper_bound(1, 31), 1);
}
END_TEST

/* Returns how many of 1000 comparisons find the change at the level. */
static unsigned int nr_found(const struct simulated *s, double alpha)
{
	gsl_rng *rng = simulated_begin(3);
	struct simulated_sides sides;
	struct change change;
	unsigned int found = 0;

	for (int i = 0; i < 1000; i++) {
		simulated_draw(rng, s, &sides);
		change_estimate(&change, &sides.before, &sides.after);
		found += change.p_value <= alpha;
	}
	gsl_rng_free(rng);
	return found;
}

/* With the number of recordings that the plan names, four of five comparisons find the change. */
START_TEST(promised_power)
{
	struct simulated cases[] = {
		{.share = 0.10, .samples = 11880, .run = 0.02, .relative = 0.10},
		{.share = 0.30, .samples = 5000, .run = 0.005, .relative = -0.05},
		{.share = 0.01, .samples = 11880, .run = 0.05, .relative = 0.20},
	};
	static const double alphas[] = {0.05, 0.001};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (size_t a = 0; a < ARRAY_SIZE(alphas); a++) {
			struct simulated *s = &cases[i];
			double variance =
				s->run * s->run + (1 - s->share) / (s->share * s->samples);
			unsigned int found;

			s->nr = recordings_needed(s->relative, variance, alphas[a]);
			ck_assert_uint_le(s->nr, SIMULATED_MAX);
			found = nr_found(s, alphas[a]);
			ck_assert_msg(found >= 750 && found <= 980, "case %zu, %zu recordings: %u",
				      i, s->nr, found);
		}
	}
}
END_TEST

SUITE_MAIN("recordings_needed", many_recordings, limits, directions, upper_bound, promised_power)
