/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The change from one recording to another, by the noise from slice to slice inside of them. The
 * interval says what these two recordings have. It does not say that the program changed, since
 * nobody knows how much other recordings would differ.
 */
#ifndef REPORT_STATISTICS_WITHIN_H
#define REPORT_STATISTICS_WITHIN_H

#include "report/statistics/change.h"

/* With fewer independent slices on a side, the noise is not known. */
#define WITHIN_SLICES_MIN 10

/* The slices of one recording, of equal length. */
struct slices {
	const struct observation *items;
	size_t nr;
};

/*
 * Sets the interval of @change, whose rates and relative change are set. Leaves it as it is if a
 * side is too short: if it has fewer than WITHIN_SLICES_MIN independent slices. @scratch has room
 * for the slices of either side. The change has no p-value.
 */
void within_estimate(struct change *change, const struct slices *before, const struct slices *after,
		     double *scratch);

#endif
