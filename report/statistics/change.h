/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The change of one count from the recordings before to those after, with its interval. The unit of
 * evidence is the recording. Samples of one recording resemble each other, so a test on samples
 * sees changes where there are none. doc/differences.md explains the method.
 */
#ifndef REPORT_STATISTICS_CHANGE_H
#define REPORT_STATISTICS_CHANGE_H

#include "report/statistics/observations.h"

/* A smallest visible change is found this often. */
#define CHANGE_POWER 0.80

/* With fewer recordings on a side nobody knows how much recordings differ by themselves. */
#define CHANGE_RECORDINGS_MIN 3

/* With fewer counts on both sides together, the logarithms are too coarse. */
#define CHANGE_COUNTS_MIN 20

/* Relative changes are factors minus 1: 0.1 is 10 % more. */
struct change {
	double before, after; /* count by unit; the mean of the recordings */
	double relative;      /* infinite if there was nothing before; NaN: nothing at all */
	double low, high;     /* the interval of relative; NaN: not known */
	double p_value;       /* NaN: no test is possible */
	double error;         /* of the logarithm of the factor */
	double df;            /* degrees of freedom of the error */
	bool is_few;          /* there are too few counts for a verdict */
	bool may_be_division; /* it is on one side only, and recordings are too few to say why */
};

/* Sets the rates and the relative change of @change. All else is not known yet. */
void change_set_rates(struct change *change, const struct observations *before,
		      const struct observations *after);

/* The variance of the logarithm of a recording's rate. */
struct log_variance {
	double between;  /* between recordings, sampling included */
	double sampling; /* the part that sampling makes */
};

/* Returns the variance of the recordings of @side, of which there are two or more. */
struct log_variance log_variance_of(const struct observations *side);

/*
 * Compares recordings that were made apart. Both sides have CHANGE_RECORDINGS_MIN recordings or
 * more.
 */
void change_estimate(struct change *change, const struct observations *before,
		     const struct observations *after);

/*
 * Compares interleaved recordings: recording i of one side belongs to recording i of
 * the other. Both sides have equally many, CHANGE_RECORDINGS_MIN or more.
 */
void change_estimate_pairs(struct change *change, const struct observations *before,
			   const struct observations *after);

/* How well the logarithm of a rate is known. */
struct log_error {
	double variance;
	double df; /* degrees of freedom of the variance */
};

/*
 * Sets the interval, the p-value and the error of @change, whose relative change is set, from the
 * errors of both sides.
 */
void change_set_interval(struct change *change, struct log_error before, struct log_error after);

/*
 * Returns the smallest relative change that a test at the level @alpha finds with probability
 * CHANGE_POWER, given the error of @change.
 */
double change_visible(const struct change *change, double alpha);

#endif
