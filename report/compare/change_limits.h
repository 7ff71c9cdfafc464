/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits on what a comparison may find, for builds that shall fail beyond them. */
#ifndef REPORT_COMPARE_CHANGE_LIMITS_H
#define REPORT_COMPARE_CHANGE_LIMITS_H

#include "common/err.h"
#include "common/option_spec.h"
#include "report/compare/comparison.h"
#include "report/text/textbuf.h"

/* All zero: no limits. */
struct change_limits {
	double change_percent; /* of a function, for better or worse; 0: none */
	double slower_percent; /* for worse; 0: none */
	string_vec budgets;    /* FUNCTION=PERCENT of all samples after */
};

/* What became of the limits. The first one that holds decides. */
enum limits_outcome {
	LIMITS_KEPT = 0,
	LIMITS_SLOWER,
	LIMITS_BUDGET,
	LIMITS_CHANGED,
	LIMITS_UNKNOWN, /* too few recordings for a verdict, or a budget of nothing */
};

/* Checks the texts of budgets. Returns 0 or -EINVAL with @err set. */
int change_limits_check(const struct change_limits *limits, struct err *err);

/*
 * Finds what exceeds @limits, appends a line for each such function to @text, and one for each
 * budget of a function that nothing is known of, with the name that may be meant. What is on one
 * side only may have another name on the other, so only budgets look at it. Budgets name their
 * functions, and other limits are for those that the user chose.
 */
enum limits_outcome change_limits_find(const struct change_limits *limits,
				       const struct comparison *comparison,
				       const struct tally *tally, struct textbuf *text);

#endif
