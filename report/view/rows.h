/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk over the rows of a model that every output is made from: rows in their order, with the
 * sides that the user wants to see. An output is a set of functions that the walk calls.
 */
#ifndef REPORT_VIEW_ROWS_H
#define REPORT_VIEW_ROWS_H

#include "report/model/model.h"
#include "report/view/view.h"

/* One side of a row. Neither present nor missed: there was no such stack, or it is not shown. */
struct row_side {
	const uint32_t *frames; /* leaf first */
	uint32_t nr;
	enum prof_stack_end end;
	bool is_present; /* there are frames */
	bool is_missed;  /* there was a stack, but it is not in the recording */
};

struct stack_row {
	uint32_t process; /* in model->processes */
	uint32_t pid;
	uint32_t comm; /* in model->strings */
	struct row_side user, kernel;
	uint64_t count;
};

/* Returns 0, or a negative errno that ends the visit. */
typedef int (*row_fn)(void *ctx, const struct stack_row *row);

/* What the rows lacked. */
struct rows_summary {
	uint64_t missed_stacks; /* sides of rows, as bcc counts them, not samples */
	bool is_storage_full;   /* one was missed because there was no room */
	uint64_t cut_stacks;    /* sides of rows that lack the frames behind the depth limit */
};

/* Adds the lacks of other rows. */
void rows_summary_add(struct rows_summary *sum, const struct rows_summary *seen);

/*
 * Calls @visit for the rows of @model, ascending by count; rows with the same count by thread name,
 * then pid, then their order in the recording. When @view shows one side only, rows that do not
 * differ in it are one. Returns 0, the error of a call, or -ENOMEM; *@summary is set on success.
 */
int rows_visit(const struct model *model, const struct view *view, row_fn visit, void *ctx,
	       struct rows_summary *summary);

#endif
