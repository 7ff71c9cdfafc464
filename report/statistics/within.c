// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/statistics/within.h"

#include <math.h>

#include "report/statistics/autocorrelation.h"

/* Returns how well the logarithm of the rate of @slices is known. */
static struct log_error log_error_of(const struct slices *slices, double *residuals)
{
	const struct observations all = {slices->items, slices->nr};
	const struct observed_totals totals = observations_add_up(&all);
	double rate = totals.count / totals.units, trials = 0, of_slices;
	struct slices_variance found;

	for (size_t i = 0; i < slices->nr; i++) {
		residuals[i] = slices->items[i].count - rate * slices->items[i].units;
		trials += slices->items[i].trials;
	}
	found = slices_variance(residuals, slices->nr);
	of_slices = found.of_sum / (totals.count * totals.count);
	return (struct log_error){
		.variance = fmax(of_slices, sampling_variance(totals.count, trials)),
		.df = found.effective - 1,
	};
}

void within_estimate(struct change *change, const struct slices *before, const struct slices *after,
		     double *scratch)
{
	struct log_error a, b;

	if (!(change->before > 0) || !(change->after > 0))
		return;
	a = log_error_of(before, scratch);
	b = log_error_of(after, scratch);
	if (a.df < WITHIN_SLICES_MIN - 1 || b.df < WITHIN_SLICES_MIN - 1)
		return;
	change_set_interval(change, a, b);
	change->p_value = NAN;
}
