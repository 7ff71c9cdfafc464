// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/statistics/within.h"

#include <math.h>

#include "report/statistics/autocorrelation.h"

/* The variance of the logarithm of a recording's rate. */
struct within_side {
	double variance;
	double effective; /* independent slices */
};

static struct within_side side_make(const struct slices *slices, double *residuals)
{
	const struct observations all = {slices->items, slices->nr};
	const struct observed_totals totals = observations_add_up(&all);
	double rate = totals.count / totals.units, trials = 0, share, sampling;
	struct slices_variance found;

	for (size_t i = 0; i < slices->nr; i++) {
		residuals[i] = slices->items[i].count - rate * slices->items[i].units;
		trials += slices->items[i].trials;
	}
	found = slices_variance(residuals, slices->nr);
	share = trials > totals.count ? totals.count / trials : trials > 0;
	sampling = (1 - share) / totals.count;
	return (struct within_side){
		.variance = fmax(found.of_sum / (totals.count * totals.count), sampling),
		.effective = found.effective,
	};
}

void within_estimate(struct change *change, const struct slices *before, const struct slices *after,
		     double *scratch)
{
	struct within_side a, b;
	double sum, doubt;

	if (!(change->before > 0) || !(change->after > 0))
		return;
	a = side_make(before, scratch);
	b = side_make(after, scratch);
	if (a.effective < WITHIN_SLICES_MIN || b.effective < WITHIN_SLICES_MIN)
		return;
	sum = a.variance + b.variance;
	doubt = a.variance * a.variance / (a.effective - 1) +
		b.variance * b.variance / (b.effective - 1);
	change->error = sqrt(sum);
	change->df = doubt > 0 ? sum * sum / doubt : INFINITY;
	change_set_interval(change);
	change->p_value = NAN;
}
