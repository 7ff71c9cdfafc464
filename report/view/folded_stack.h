/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows as lines of folded output. A diff matches rows by this text, and a comparison counts it. */
#ifndef REPORT_VIEW_FOLDED_STACK_H
#define REPORT_VIEW_FOLDED_STACK_H

#include "report/view/printout.h"

/*
 * Returns true if a delimiter stands between two sides of a row. bcc's profile has it between two
 * stacks, and bcc's stackcount in each row with both sides shown.
 */
static inline bool is_delimited(const struct printout *p, const struct row_side *first,
				const struct row_side *second)
{
	const struct view *view = p->view;

	if (!view->delimited || view->user_only || view->kernel_only)
		return false;
	return has_hits(p) || (first->is_present && second->is_present);
}

/* Prints the line of @row without its count. */
void print_folded_stack(const struct printout *p, struct textbuf *out, const struct stack_row *row);

#endif
