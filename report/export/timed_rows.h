/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of an event in the order of time, for formats whose readers draw time. A recording knows
 * the time of a count by its slice, or by its epoch where that has no slices. So no reader may
 * learn more: a row comes once for each of them, and its time is somewhere in that stretch.
 */
#ifndef REPORT_EXPORT_TIMED_ROWS_H
#define REPORT_EXPORT_TIMED_ROWS_H

#include "report/view/printout.h"

/* The part of a row that counts in one stretch of time, among all that counts there. */
struct timed_row {
	struct stack_row row; /* with the count of the part */
	const struct model_slot *slot;
	uint64_t before, all; /* counts of the stretch: of the rows before this one, and of all */
};

/* Takes one row. Returns 0, or a negative errno that ends the visit. */
typedef int (*timed_row_fn)(void *ctx, const struct timed_row *row);

/*
 * Calls @visit for the rows of the event of @p, whose model keeps slots. Rows of one stretch come
 * in the order of the recording. Adds the stacks that rows lack to @summary, once for each row of
 * the recording. Returns 0, the error of a call, or -ENOMEM.
 */
int timed_rows_visit(const struct printout *p, timed_row_fn visit, void *ctx,
		     struct rows_summary *summary);

/*
 * Returns a time for the hit number @nr of @row, from 0, since the start of the recording. The hits
 * of a stretch are spread evenly over it.
 */
uint64_t timed_row_ns(const struct timed_row *row, uint64_t nr);

#endif
