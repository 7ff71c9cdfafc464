/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slices of one recording resemble their neighbours: a busy second follows a busy second. Many
 * slices are therefore worth few independent ones. Geyer's initial monotone sequence ("Practical
 * Markov Chain Monte Carlo", Statistical Science 7, 1992) says how few.
 */
#ifndef REPORT_STATISTICS_AUTOCORRELATION_H
#define REPORT_STATISTICS_AUTOCORRELATION_H

#include <stddef.h>

struct slices_variance {
	double of_sum;    /* the variance of the sum of all slices */
	double effective; /* independent slices that would know as much */
};

/*
 * Estimates the variance of the sum of the @nr numbers @values, whose mean is 0. The estimate for
 * less than two slices is 0, with @nr effective ones.
 */
struct slices_variance slices_variance(const double *values, size_t nr);

#endif
