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

double beta_quantile(double p, double a, double b)
{
	double low = 0, high = 1;

	/* gsl_cdf_beta_Pinv finds nothing if one count is large and the other is small. */
	while (high - low > BETA_ACCURACY * high) {
		double middle = (low + high) / 2;

		if (gsl_cdf_beta_P(middle, a, b) < p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double beta_probability(double x, double a, double b)
{
	return gsl_cdf_beta_P(x, a, b);
}
