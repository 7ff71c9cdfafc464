/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many functions are compared at once, and of a hundred tests at 5 % five find a change where there
 * is none. The procedure of Benjamini and Hochberg (J. R. Statist. Soc. B 57, 1995) bounds the part
 * of false ones among all that are found.
 */
#ifndef REPORT_STATISTICS_FALSE_DISCOVERIES_H
#define REPORT_STATISTICS_FALSE_DISCOVERIES_H

#include <stddef.h>

/*
 * Finds the largest p-value that counts as a discovery at the rate @q of false ones. Sorts the @nr
 * @p_values, none of which is NaN. Sets *@nr_found. Returns the level of the test for one more
 * p-value, above 0 unless @q is 0: each found p-value is at most this level.
 */
double discoveries_level(double *p_values, size_t nr, double q, size_t *nr_found);

#endif
