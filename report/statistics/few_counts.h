/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The change of a count that is small, or that is 0 on one side. Given the sum of both sides, the
 * part of one side has a binomial distribution. Its interval is that of Jeffreys: "Interval
 * Estimation for a Binomial Proportion", Brown, Cai and DasGupta, Statistical Science 16 (2001).
 */
#ifndef REPORT_STATISTICS_FEW_COUNTS_H
#define REPORT_STATISTICS_FEW_COUNTS_H

#include "report/statistics/observations.h"

/* The members are those of struct change. */
struct few_counts {
	double relative, low, high, p_value, error;
	bool may_be_division;
};

/*
 * Compares the sides, of which one has a count at least. Where recordings of one side differ by
 * more than chance, a count is worth less, by the factor chi-squared / df of Pearson. A job that
 * runs now and then can be in all recordings of one side by chance, and the p-value allows for it.
 */
struct few_counts few_counts_compare(const struct observations *before,
				     const struct observations *after);

/* Returns true if all recordings of one side have counts, and none of the other has. */
bool few_counts_is_apart(const struct observations *before, const struct observations *after);

#endif
