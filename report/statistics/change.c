// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/statistics/change.h"

#include <math.h>

#include "report/statistics/observations.h"
#include "report/statistics/quantiles.h"

/*
 * The change of a count that is small, or that is 0 on one side. Given the sum of both sides, the
 * part of one side has a binomial distribution. Its interval is that of Jeffreys: "Interval
 * Estimation for a Binomial Proportion", Brown, Cai and DasGupta, Statistical Science 16 (2001).
 */

/* The members are those of struct change. */
struct few_counts {
	double relative, low, high, p_value, error;
	bool may_be_division;
};

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

/* Returns true if all recordings of one side have counts, and none of the other has. */
static bool few_counts_is_apart(const struct observations *before, const struct observations *after)
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

/*
 * Compares the sides, of which one has a count at least. Where recordings of one side differ by
 * more than chance, a count is worth less, by the factor chi-squared / df of Pearson. A job that
 * runs now and then can be in all recordings of one side by chance, and the p-value allows for it.
 */
static struct few_counts few_counts_compare(const struct observations *before,
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

/* Stands for no count, whose logarithm does not exist, as half a count. */
#define COUNT_SHIFT 0.5

/* The logarithms of count by unit on one side, or their differences in pairs. */
struct log_side {
	double mean;
	struct log_error error; /* of the mean */
};

static double log_rate(const struct observation *o, double shift)
{
	return log((o->count + shift) / o->units);
}

/*
 * Returns the mean variance that sampling makes. The side's common rate stands for the recording's
 * own, which is a matter of luck.
 */
static double sampling_floor(const struct observations *side, double shift)
{
	const struct observed_totals totals = observations_add_up(side);
	double rate = (totals.count + shift * side->nr) / totals.units, sum = 0;

	for (size_t i = 0; i < side->nr; i++)
		sum += sampling_variance(rate * side->items[i].units, side->items[i].trials);
	return sum / side->nr;
}

/*
 * Makes a side of @nr logarithms, which sampling alone varies by @floor. Recordings can agree by
 * luck, so the variance is never below the floor. The floor is known and not estimated: the more of
 * the variance it makes up, the more degrees of freedom there are (Satterthwaite, Biometrics
 * Bulletin 2, 1946).
 */
static struct log_side log_side_make(double (*get)(const void *ctx, size_t i), const void *ctx,
				     size_t nr, double floor)
{
	double mean = 0, squares = 0, variance, raised;

	for (size_t i = 0; i < nr; i++)
		mean += get(ctx, i) / nr;
	for (size_t i = 0; i < nr; i++)
		squares += (get(ctx, i) - mean) * (get(ctx, i) - mean);
	variance = squares / (nr - 1);
	raised = variance < floor ? floor / variance : 1;
	return (struct log_side){
		mean,
		{fmax(variance, floor) / nr, (nr - 1) * raised * raised},
	};
}

static void set_interval(struct change *change, struct log_error error)
{
	double center = log1p(change->relative), reach;

	change->error = sqrt(error.variance);
	change->df = error.df;
	reach = student_quantile((1 + CONFIDENCE) / 2, change->df) * change->error;
	change->low = expm1(center - reach);
	change->high = expm1(center + reach);
	/* Two sides without any spread differ, or they do not. */
	if (change->error > 0)
		change->p_value = student_two_sided(center / change->error, change->df);
	else
		change->p_value = center == 0;
}

double change_visible(const struct change *change, double alpha)
{
	double reach = student_quantile(1 - alpha / 2, change->df) +
		       student_quantile(CHANGE_POWER, change->df);

	return expm1(reach * change->error);
}

/* The error of the difference is by Welch, its degrees of freedom by Satterthwaite. */
static struct log_error join_errors(struct log_error a, struct log_error b)
{
	double sum = a.variance + b.variance;
	double doubt = a.variance * a.variance / a.df + b.variance * b.variance / b.df;

	return (struct log_error){sum, doubt > 0 ? sum * sum / doubt : INFINITY};
}

void change_set_interval(struct change *change, struct log_error before, struct log_error after)
{
	set_interval(change, join_errors(before, after));
}

/* Sets the change to @log_change, and its interval. */
static void set_change(struct change *change, double log_change, struct log_error error)
{
	change->relative = expm1(log_change);
	set_interval(change, error);
	/* Half a count stood for none in the logarithm. */
	if (change->before <= 0 || change->after <= 0)
		change->relative = change->after / change->before - 1;
}

void change_set_rates(struct change *change, const struct observations *before,
		      const struct observations *after)
{
	const struct observed_totals a = observations_add_up(before);
	const struct observed_totals b = observations_add_up(after);

	*change = (struct change){
		.before = a.count / a.units,
		.after = b.count / b.units,
		.low = NAN,
		.high = NAN,
		.p_value = NAN,
		.error = INFINITY,
		.df = INFINITY,
		.is_few = a.count + b.count < CHANGE_COUNTS_MIN,
	};
	change->relative = change->after / change->before - 1;
}

/*
 * Fills in all that does not depend on pairs. Returns true if nothing is left to do, because the
 * counts are few.
 */
static bool begin_change(struct change *change, const struct observations *before,
			 const struct observations *after)
{
	struct few_counts few;

	change_set_rates(change, before, after);
	if (!change->is_few && !few_counts_is_apart(before, after))
		return false;
	if (change->before <= 0 && change->after <= 0)
		return true;
	few = few_counts_compare(before, after);
	change->relative = few.relative;
	change->low = few.low;
	change->high = few.high;
	change->p_value = few.p_value;
	change->error = few.error;
	change->may_be_division = !change->is_few && few.may_be_division;
	return true;
}

struct shifted {
	const struct observations *before, *after;
	double shift;
};

static double shift_of(const struct observations *before, const struct observations *after)
{
	bool has_empty =
		observations_add_up(before).nr_empty || observations_add_up(after).nr_empty;

	return has_empty ? COUNT_SHIFT : 0;
}

static double get_before(const void *ctx, size_t i)
{
	const struct shifted *s = ctx;

	return log_rate(&s->before->items[i], s->shift);
}

static double get_after(const void *ctx, size_t i)
{
	const struct shifted *s = ctx;

	return log_rate(&s->after->items[i], s->shift);
}

static double get_difference(const void *ctx, size_t i)
{
	return get_after(ctx, i) - get_before(ctx, i);
}

struct log_variance log_variance_of(const struct observations *side)
{
	const struct shifted s = {side, side, shift_of(side, side)};
	const struct log_side all = log_side_make(get_before, &s, side->nr, 0);

	return (struct log_variance){
		.between = all.error.variance * side->nr,
		.sampling = sampling_floor(side, s.shift),
	};
}

void change_estimate(struct change *change, const struct observations *before,
		     const struct observations *after)
{
	const struct shifted s = {before, after, shift_of(before, after)};

	if (!begin_change(change, before, after)) {
		const struct log_side a =
			log_side_make(get_before, &s, before->nr, sampling_floor(before, s.shift));
		const struct log_side b =
			log_side_make(get_after, &s, after->nr, sampling_floor(after, s.shift));

		set_change(change, b.mean - a.mean, join_errors(a.error, b.error));
	}
}

void change_estimate_pairs(struct change *change, const struct observations *before,
			   const struct observations *after)
{
	const struct shifted s = {before, after, shift_of(before, after)};
	struct log_side pairs;

	if (begin_change(change, before, after))
		return;
	pairs = log_side_make(get_difference, &s, before->nr,
			      sampling_floor(before, s.shift) + sampling_floor(after, s.shift));
	/* Pairs never know more than as many recordings apart. */
	pairs.error.df = fmin(pairs.error.df, 2 * before->nr - 2);
	set_change(change, pairs.mean, pairs.error);
}
