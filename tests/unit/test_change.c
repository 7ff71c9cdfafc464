// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>

#include "tests/unit/simulated.h"
#include "tests/unit/suite.h"

#define NR_TRIALS 1000

static struct observations observe(struct observation *items, size_t nr, const double *counts)
{
	for (size_t i = 0; i < nr; i++)
		items[i] = (struct observation){counts[i], 1000, 1000};
	return (struct observations){items, nr};
}

/* Compares recordings of 1000 samples each. */
static struct change compare(size_t nr, const double *before, const double *after)
{
	struct observation a[SIMULATED_MAX], b[SIMULATED_MAX];
	const struct observations sides[] = {observe(a, nr, before), observe(b, nr, after)};
	struct change change;

	change_estimate(&change, &sides[0], &sides[1]);
	return change;
}

/*
 * Worked by hand. The logarithms of 100, 110, 90 have the mean 4.60181 and the variance 0.010076;
 * those of 200, 230, 170 have 5.29073 and 0.022883. Sampling makes 0.009 and 0.004 of it.
 */
START_TEST(worked_example)
{
	struct change c = compare(3, (double[]){100, 110, 90}, (double[]){200, 230, 170});

	ck_assert_double_eq_tol(c.before, 0.1, 1e-12);
	ck_assert_double_eq_tol(c.after, 0.2, 1e-12);
	ck_assert_double_eq_tol(c.relative, expm1(5.29073 - 4.60181), 1e-4);
	ck_assert_double_eq_tol(c.error, sqrt((0.010076 + 0.022883) / 3), 1e-4);
	ck_assert_double_eq_tol(c.df, 3.478, 0.01);
	ck_assert_double_gt(c.low, 0.4);
	ck_assert_double_lt(c.high, 1.8);
	ck_assert_double_lt(c.p_value, 0.01);
	ck_assert(!c.is_few);
}
END_TEST

/* Recordings that agree too well vary at least as much as samples do. */
START_TEST(sampling_is_the_least)
{
	struct change c = compare(3, (double[]){100, 100, 100}, (double[]){100, 100, 100});

	ck_assert_double_eq_tol(c.error, sqrt(2 * 0.009 / 3), 1e-9);
	ck_assert_double_eq_tol(c.relative, 0, 1e-12);
	ck_assert_double_eq_tol(c.p_value, 1, 1e-9);
	ck_assert_double_gt(c.df, 1e6);
}
END_TEST

/* All samples: nothing can vary, and nothing has changed. */
START_TEST(everything)
{
	struct change c = compare(3, (double[]){1000, 1000, 1000}, (double[]){1000, 1000, 1000});

	ck_assert_double_eq_tol(c.relative, 0, 1e-12);
	ck_assert_double_eq_tol(c.low, 0, 1e-12);
	ck_assert_double_eq_tol(c.high, 0, 1e-12);
	ck_assert_double_eq_tol(c.p_value, 1, 1e-12);
}
END_TEST

START_TEST(few_counts)
{
	struct change c = compare(3, (double[]){1, 2, 2}, (double[]){4, 4, 4});

	ck_assert(c.is_few);
	ck_assert_double_eq_tol(c.relative, 1.4, 1e-9);
	ck_assert_double_lt(c.low, 0);
	ck_assert_double_gt(c.high, 4);
	c = compare(3, (double[]){0, 0, 0}, (double[]){0, 0, 0});
	ck_assert(c.is_few);
	ck_assert_double_nan(c.relative);
	ck_assert_double_nan(c.p_value);
}
END_TEST

START_TEST(appeared_and_vanished)
{
	double nothing[5] = {0}, something[] = {30, 35, 28, 31, 33};
	struct change c = compare(5, nothing, something);

	ck_assert(!c.is_few);
	ck_assert(isinf(c.relative) && isinf(c.high));
	ck_assert_double_gt(c.low, 10);
	ck_assert_double_lt(c.p_value, 1e-6);
	c = compare(5, something, nothing);
	ck_assert_double_eq_tol(c.relative, -1, 1e-9);
	ck_assert_double_eq_tol(c.low, -1, 1e-9);
	ck_assert_double_lt(c.high, -0.9);
	/* Three of six recordings can have it by chance, as with a job that runs now and then. */
	ck_assert_double_gt(compare(3, nothing, something).p_value, 0.01);
}
END_TEST

/* One burst in one recording is no change, however many samples it has. */
START_TEST(bursts)
{
	double nothing[5] = {0}, burst[] = {0, 500, 0, 0, 0};

	ck_assert_double_gt(compare(5, nothing, burst).p_value, 0.1);
	ck_assert_double_eq(compare(5, nothing, burst).relative, INFINITY);
	ck_assert_double_eq(compare(5, burst, nothing).relative, -1);
	ck_assert_double_gt(compare(3, nothing, (double[]){0, 18, 0}).p_value, 0.05);
}
END_TEST

/* Drift that both sides of a pair share does not count. */
START_TEST(pairs)
{
	struct observation a[5], b[5];
	const struct observations before = observe(a, 5, (double[]){100, 200, 400, 200, 100});
	const struct observations after = observe(b, 5, (double[]){130, 260, 520, 260, 130});
	struct change paired, apart;

	change_estimate_pairs(&paired, &before, &after);
	change_estimate(&apart, &before, &after);
	ck_assert_double_eq_tol(paired.relative, 0.3, 1e-9);
	ck_assert_double_eq_tol(apart.relative, 0.3, 1e-9);
	ck_assert_double_lt(paired.p_value, 0.01);
	ck_assert_double_gt(apart.p_value, 0.1);
	ck_assert_double_eq_tol(paired.df, 8, 1e-9);
}
END_TEST

/* Recordings of different lengths: rates are compared, not counts. */
START_TEST(lengths)
{
	struct observation a[3] = {{100, 10, 0}, {200, 20, 0}, {300, 30, 0}};
	struct observation b[3] = {{50, 5, 0}, {1000, 100, 0}, {100, 10, 0}};
	const struct observations before = {a, 3}, after = {b, 3};
	struct change change;

	change_estimate(&change, &before, &after);
	ck_assert_double_eq_tol(change.before, 10, 1e-9);
	ck_assert_double_eq_tol(change.after, 10, 1e-9);
	ck_assert_double_eq_tol(change.relative, 0, 1e-9);
}
END_TEST

struct tally {
	unsigned int inside, found;
};

static struct tally try_often(const struct simulated *s, unsigned long seed, bool is_paired)
{
	gsl_rng *rng = simulated_begin(seed);
	struct simulated_sides sides;
	struct tally tally = {0};
	struct change c;

	for (int i = 0; i < NR_TRIALS; i++) {
		simulated_draw(rng, s, &sides);
		if (is_paired)
			change_estimate_pairs(&c, &sides.before, &sides.after);
		else
			change_estimate(&c, &sides.before, &sides.after);
		tally.inside += c.low <= s->relative && s->relative <= c.high;
		tally.found += c.p_value <= 0.05;
	}
	gsl_rng_free(rng);
	return tally;
}

static const double planted[] = {-0.20, -0.10, -0.03, 0, 0.01, 0.05, 0.20};

/*
 * Intervals hold the planted change in 92 to 98 of 100 trials. Those of pairs are longer than they
 * need be where recordings differ by nothing but sampling.
 */
START_TEST(coverage)
{
	static const struct simulated cases[] = {
		{.share = 0.05, .samples = 23760, .run = 0.03, .nr = 3},
		{.share = 0.05, .samples = 23760, .run = 0.03, .nr = 5},
		{.share = 0.30, .samples = 1485, .run = 0.05, .nr = 5},
		{.share = 0.01, .samples = 11880, .run = 0.20, .nr = 10},
		{.share = 0.05, .samples = 23760, .run = 0, .nr = 10},
		{.share = 0.002, .samples = 11880, .run = 0.15, .nr = 8},
		{.share = 0.70, .samples = 5940, .run = 0.01, .nr = 4},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (size_t p = 0; p < ARRAY_SIZE(planted); p++) {
			struct simulated s = cases[i];
			struct tally apart, paired;

			s.relative = planted[p];
			apart = try_often(&s, 100 * i + p, false);
			paired = try_often(&s, 100 * i + p, true);
			ck_assert_msg(apart.inside >= 920 && apart.inside <= 980 &&
					      paired.inside >= 920 && paired.inside <= 990,
				      "case %zu, change %g: %u apart, %u in pairs", i, s.relative,
				      apart.inside, paired.inside);
			if (planted[p] == 0)
				ck_assert_uint_le(apart.found, 80);
		}
	}
}
END_TEST

SUITE_MAIN("change", worked_example, sampling_is_the_least, everything, few_counts,
	   appeared_and_vanished, bursts, pairs, lengths, coverage)
