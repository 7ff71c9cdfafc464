/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All outputs print the rows of a model through rows_visit. It brings the rows into their order and
 * leaves out the side that the user does not want to see.
 */
#ifndef REPORT_VIEW_ROWS_H
#define REPORT_VIEW_ROWS_H

#include "report/model/model.h"
#include "report/symbols/symbolise.h"
#include "report/view/view.h"

/* One side of a row. A side that is neither present nor missed had no stack, or the user hid it. */
struct row_side {
	const uint32_t *frames; /* leaf first */
	uint32_t nr;
	enum prof_stack_end end;
	bool is_present; /* it has frames */
	bool is_missed;  /* it had a stack, but the recording lacks it */
};

struct stack_row {
	uint32_t process; /* in model->processes */
	uint32_t pid;
	uint32_t comm;      /* in model->strings */
	uint32_t label_set; /* of the request; 0: requests are not told apart */
	uint32_t tid;       /* 0: threads of one name are not told apart */
	struct row_side user, kernel;
	struct row_side waker_user, waker_kernel; /* of the task that ended time off the CPU */
	uint64_t count;
};

/* Returns true if @row has a stack of a waker, or lacks one that there was. */
static inline bool row_has_wakers(const struct stack_row *row)
{
	return row->waker_user.is_present || row->waker_user.is_missed ||
	       row->waker_kernel.is_present || row->waker_kernel.is_missed;
}

/* Takes one row. Returns 0, or a negative errno that ends the visit. */
typedef int (*row_fn)(void *ctx, const struct stack_row *row);

/* Counts the stacks that the rows lack, or lack a part of. */
struct rows_summary {
	uint64_t missed_stacks; /* sides of rows, not samples, as bcc counts */
	bool is_storage_full;   /* a stack is missing because the storage was full */
	uint64_t cut_stacks;    /* sides of rows without the frames beyond the depth limit */
	uint64_t nr_held_up;    /* intervals that are too long: epoch_is_held_up */
	uint64_t held_up_ns;    /* the length of the longest one */
};

/* Adds the numbers of @seen to @sum. */
void rows_summary_add(struct rows_summary *sum, const struct rows_summary *seen);

/* Returns @row with the empty stack on a side that @view hides. */
struct prof_count row_shown_sides(const struct view *view, struct prof_count row);

/*
 * Returns @row of @model without the sides that @view hides. Counts in @summary the stacks that
 * the row lacks.
 */
struct stack_row stack_row_show(const struct model *model, const struct view *view,
				const struct prof_count *row, struct rows_summary *summary);

/*
 * Calls @visit for the rows of @model of the event of @view, the smallest count first. Rows of
 * equal count are sorted by thread name, pid and thread id, then their order in the recording. If
 * @view shows one side only, rows that differ in the other side alone are added up. Returns 0, the
 * error of a call, or -ENOMEM. Sets
 * *@summary on success.
 */
int rows_visit(const struct model *model, const struct view *view, row_fn visit, void *ctx,
	       struct rows_summary *summary);

/*
 * Like rows_visit, but adds up the rows whose stacks print equal text. If @view separates
 * processes, it prints the thread name and, unless folded, the pid. Else the rows have string 0 for
 * a thread name, and one of their processes.
 */
int rows_visit_alike(const struct model *model, const struct symbols *symbols,
		     const struct view *view, row_fn visit, void *ctx,
		     struct rows_summary *summary);

/*
 * Calls @visit for the rows of @model of the event of @view as they come, where neither order nor
 * equal stacks matter. Adds the stacks that rows lack to @summary. Returns 0 or the error of a
 * call.
 */
int rows_visit_all(const struct model *model, const struct view *view, row_fn visit, void *ctx,
		   struct rows_summary *summary);

/*
 * Sets @sums[i], for each row i of @model of the event of @view, to the sum of the counts of all
 * rows that rows_visit_alike adds up with it. Other elements stay. Returns 0 or -ENOMEM.
 */
int rows_sum_alike(const struct model *model, const struct symbols *symbols,
		   const struct view *view, uint64_t *sums);

#endif
