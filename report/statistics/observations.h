/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What recordings know of one function, or of another thing that is counted. */
#ifndef REPORT_STATISTICS_OBSERVATIONS_H
#define REPORT_STATISTICS_OBSERVATIONS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* Intervals hold the true change with this probability. */
#define CONFIDENCE 0.95

/* One recording. */
struct observation {
	double count;  /* samples, or another count */
	double units;  /* the denominator: samples of all, seconds, or work; above 0 */
	double trials; /* samples that could have been of the thing; 0: no bound is known */
};

struct observations {
	const struct observation *items;
	size_t nr;
};

struct observed_totals {
	double count, units;
	size_t nr_empty; /* recordings without a count */
};

/* Adds up the recordings of a side. */
static inline struct observed_totals observations_add_up(const struct observations *side)
{
	struct observed_totals totals = {0};

	for (size_t i = 0; i < side->nr; i++) {
		totals.count += side->items[i].count;
		totals.units += side->items[i].units;
		totals.nr_empty += side->items[i].count <= 0;
	}
	return totals;
}

/*
 * Returns the variance that sampling alone gives to the logarithm of a count: (1 - p) / @count,
 * where p is @count / @trials. Without a known bound of trials, p is taken for 0.
 */
static inline double sampling_variance(double count, double trials)
{
	double share = trials > 0 ? fmin(count / trials, 1) : 0;

	return (1 - share) / count;
}

#endif
