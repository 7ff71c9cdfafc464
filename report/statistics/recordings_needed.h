/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The number of recordings that a comparison needs to find a change of a given size. */
#ifndef REPORT_STATISTICS_RECORDINGS_NEEDED_H
#define REPORT_STATISTICS_RECORDINGS_NEEDED_H

#include <stdint.h>

/* More than this is no plan. */
#define RECORDINGS_NEEDED_MAX 100000

/*
 * Returns the number of recordings on each side with which a test at the level @alpha finds the
 * relative change @relative with probability CHANGE_POWER. @variance is that of the logarithm of a
 * recording's rate. Returns CHANGE_RECORDINGS_MIN at least, and 0 if RECORDINGS_NEEDED_MAX do not
 * suffice.
 */
uint32_t recordings_needed(double relative, double variance, double alpha);

/*
 * Returns the variance that is exceeded in one case of five only, if @nr recordings have shown
 * @variance between them. A pilot of few recordings can be lucky. @nr is 2 or more.
 */
double variance_upper_bound(double variance, uint32_t nr);

#endif
