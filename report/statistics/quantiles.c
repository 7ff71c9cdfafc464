// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/statistics/quantiles.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <math.h>

/* From here on Student's t and the normal distribution agree to six digits. */
#define DF_NORMAL 1e6

/* Relative, of a quantile of the beta distribution. */
#define BETA_ACCURACY 1e-12

/* GSL ends the process at an error unless it is told to return NaN. */
__attribute__((constructor)) static void return_nan(void)
{
	gsl_set_error_handler_off();
}

double student_quantile(double p, double df)
{
	return df > DF_NORMAL ? gsl_cdf_ugaussian_Pinv(p) : gsl_cdf_tdist_Pinv(p, df);
}

double student_two_sided(double t, double df)
{
	double above = df > DF_NORMAL ? gsl_cdf_ugaussian_Q(fabs(t)) : gsl_cdf_tdist_Q(fabs(t), df);

	return 2 * above;
}

double chi_square_quantile(double p, double df)
{
	return gsl_cdf_chisq_Pinv(p, df);
}

/*
 * The approximation of Peizer and Pratt (1968), of the beta distribution as in Johnson, Kotz and
 * Balakrishnan, Continuous Univariate Distributions 2, 25.5. It is off by less than 1e-5 if neither
 * count is below 20.
 */
static double beta_by_normal(double x, double a, double b)
{
	double n = a + b - 1, below = a - 0.5, above = b - 0.5;
	double off = b - 1. / 3 - (n + 1. / 3) * (1 - x);
	double from_middle = above - n * (1 - x);
	double deviance = above * log(above / (n * (1 - x))) + below * log(below / (n * x));

	off += 0.02 * (x / b - (1 - x) / a + (x - 0.5) / (a + b));
	/* Around the middle both go to 0, and their quotient to this. */
	if (fabs(from_middle) < 1e-4 * sqrt(n * x * (1 - x)))
		return gsl_cdf_ugaussian_P(off / sqrt((n + 1. / 6) * x * (1 - x)));
	return gsl_cdf_ugaussian_P(off / fabs(from_middle) *
				   sqrt(2 * deviance / (1 + 1 / (6 * n))));
}

double beta_probability(double x, double a, double b)
{
	double below = gsl_cdf_beta_P(x, a, b);

	/* For large counts GSL gives up some series, most of all where the machine multiplies and
	 * adds in one step. The mirrored series ends if one count is small. */
	if (isnan(below))
		below = gsl_cdf_beta_Q(1 - x, b, a);
	return isnan(below) ? beta_by_normal(x, a, b) : below;
}

double beta_quantile(double p, double a, double b)
{
	double low = 0, high = 1;

	/* gsl_cdf_beta_Pinv finds nothing if one count is large and the other is small. */
	while (high - low > BETA_ACCURACY * high) {
		double middle = (low + high) / 2;

		if (beta_probability(middle, a, b) < p)
			low = middle;
		else
			high = middle;
	}
	return high;
}
