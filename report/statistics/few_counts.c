// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/statistics/few_counts.h"

#include <math.h>

#include "report/statistics/quantiles.h"

/* With at least this many divisions of recordings into sides, one of them is no accident. */
#define DIVISIONS_MIN 100

/* Adds Pearson's chi-squared of the recordings of a side, and its degrees of freedom. */
static void add_spread(const struct observations *side, double *chi_square, double *df)
{
	const struct observed_totals totals = observations_add_up(side);

	if (totals.count <= 0)
		return;
	for (size_t i = 0; i < side->nr; i++) {
		double expected = totals.count * side->items[i].units / totals.units;
		double d = side->items[i].count - expected;

		*chi_square += d * d / expected;
	}
	*df += side->nr - 1;
}

/* Returns the factor by which the variance of the counts exceeds that of a binomial count. */
static double counts_dispersion(const struct observations *before, const struct observations *after)
{
	double chi_square = 0, df = 0;

	add_spread(before, &chi_square, &df);
	add_spread(after, &chi_square, &df);
	return df > 0 ? fmax(1, chi_square / df) : 1;
}

/* Returns the change of the rate if the part @part of all counts is of the side after. */
static double relative_of_part(double part, double units_before, double units_after)
{
	return part < 1 ? part / (1 - part) * units_before / units_after - 1 : INFINITY;
}

bool few_counts_is_apart(const struct observations *before, const struct observations *after)
{
	const struct observed_totals a = observations_add_up(before);
	const struct observed_totals b = observations_add_up(after);

	return (a.nr_empty == before->nr && !b.nr_empty) ||
	       (b.nr_empty == after->nr && !a.nr_empty);
}

/*
 * Returns how likely the division is by which all counts are on one side, if each recording has
 * some or none by chance. It is 0 if the counts are on both sides, or the recordings are many.
 */
static double chance_of_division(const struct observations *before,
				 const struct observations *after)
{
	double nr = before->nr + after->nr, k = before->nr;
	double divisions = exp(lgamma(nr + 1) - lgamma(k + 1) - lgamma(nr - k + 1));

	return few_counts_is_apart(before, after) && divisions < DIVISIONS_MIN ? 2 / divisions : 0;
}

struct few_counts few_counts_compare(const struct observations *before,
				     const struct observations *after)
{
	const struct observed_totals a = observations_add_up(before);
	const struct observed_totals b = observations_add_up(after);
	double phi = counts_dispersion(before, after);
	double nr_a = a.count / phi, nr_b = b.count / phi, tail = (1 - CONFIDENCE) / 2;
	double low = nr_b > 0 ? beta_quantile(tail, nr_b + 0.5, nr_a + 0.5) : 0;
	double high = nr_a > 0 ? beta_quantile(1 - tail, nr_b + 0.5, nr_a + 0.5) : 1;
	double below = beta_probability(b.units / (a.units + b.units), nr_b + 0.5, nr_a + 0.5);
	double chance = chance_of_division(before, after);

	return (struct few_counts){
		.relative = relative_of_part(nr_b / (nr_a + nr_b), a.units, b.units),
		.low = relative_of_part(low, a.units, b.units),
		.high = relative_of_part(high, a.units, b.units),
		.p_value = fmax(2 * fmin(below, 1 - below), chance),
		.error = sqrt(1 / (nr_a + 0.5) + 1 / (nr_b + 0.5)),
		.may_be_division = chance > 0,
	};
}
