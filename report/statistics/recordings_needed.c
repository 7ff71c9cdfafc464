// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/statistics/recordings_needed.h"

#include <math.h>
#include <stdbool.h>

#include "report/statistics/change.h"
#include "report/statistics/quantiles.h"

static bool is_enough(double delta, double variance, double alpha, uint32_t nr)
{
	double df = 2.0 * nr - 2;
	double reach = student_quantile(1 - alpha / 2, df) + student_quantile(CHANGE_POWER, df);

	return reach * sqrt(2 * variance / nr) <= delta;
}

uint32_t recordings_needed(double relative, double variance, double alpha)
{
	double delta = fabs(log1p(relative));
	uint32_t low = CHANGE_RECORDINGS_MIN, high = RECORDINGS_NEEDED_MAX;

	if (!is_enough(delta, variance, alpha, high))
		return 0;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (is_enough(delta, variance, alpha, middle))
			high = middle;
		else
			low = middle + 1;
	}
	/* Noise that looks larger than it is costs more power than the opposite gains. */
	return low > CHANGE_RECORDINGS_MIN ? low + 1 : low;
}

double variance_upper_bound(double variance, uint32_t nr)
{
	return variance * (nr - 1) / chi_square_quantile(1 - CHANGE_POWER, nr - 1);
}
