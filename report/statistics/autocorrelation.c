// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/statistics/autocorrelation.h"

#include <math.h>

static double autocovariance(const double *values, size_t nr, size_t lag)
{
	double sum = 0;

	for (size_t i = 0; i + lag < nr; i++)
		sum += values[i] * values[i + lag];
	return sum / nr;
}

struct slices_variance slices_variance(const double *values, size_t nr)
{
	double variance = nr > 1 ? autocovariance(values, nr, 0) : 0;
	double sum = -variance, least = INFINITY, tau;

	if (variance <= 0)
		return (struct slices_variance){.effective = nr};
	/* Sums of two neighbours are positive and fall. Noise begins where they do not. */
	for (size_t lag = 0; lag + 1 < nr; lag += 2) {
		double pair = autocovariance(values, nr, lag) + autocovariance(values, nr, lag + 1);

		if (pair <= 0)
			break;
		least = fmin(least, pair);
		sum += 2 * least;
	}
	/* Slices that take turns can know more than independent ones; nobody should rely on it. */
	tau = fmax(1, sum / variance);
	return (struct slices_variance){.of_sum = nr * variance * tau, .effective = nr / tau};
}
