/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quantiles and probabilities of the distributions that comparisons use. GSL computes them. An
 * argument without an answer gives NaN, and no comparison with NaN is true.
 */
#ifndef REPORT_STATISTICS_QUANTILES_H
#define REPORT_STATISTICS_QUANTILES_H

/*
 * Returns the value that Student's t with @df degrees of freedom stays below with probability @p.
 * @df need not be whole, and may be infinite: then it is the normal distribution.
 */
double student_quantile(double p, double df);

/* Returns the probability that Student's t is at least as far from 0 as @t. */
double student_two_sided(double t, double df);

/*
 * Returns the value that chi-squared with @df degrees of freedom stays below with probability @p.
 */
double chi_square_quantile(double p, double df);

/* Returns the value that the beta distribution of @a and @b stays below with probability @p. */
double beta_quantile(double p, double a, double b);

/* Returns the probability that the beta distribution of @a and @b stays below @x. */
double beta_probability(double x, double a, double b);

#endif
