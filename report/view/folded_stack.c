// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/folded_stack.h"

/* Prints a frame, and each function that was inlined there as a frame of its own. */
static void print_frame(const struct printout *p, struct textbuf *out, uint32_t frame,
			enum frame_place place, bool annotate, bool is_leaf_first)
{
	uint32_t nr = labels_nr_parts(p->labels, frame, place);

	for (uint32_t i = 0; i < nr; i++) {
		textbuf_char(out, ';');
		labels_part(p->labels, out, frame, place, is_leaf_first ? i : nr - 1 - i);
		if (annotate)
			textbuf_str(out, "_[k]");
	}
}

static void print_side(const struct printout *p, struct textbuf *out, const struct row_side *side,
		       bool is_kernel, bool is_leaf_first)
{
	bool annotate = is_kernel && p->view->annotations;

	if (side->is_missed)
		textbuf_str(out, is_kernel ? ";[Missed Kernel Stack]" : ";[Missed User Stack]");
	for (uint32_t i = 0; i < side->nr; i++) {
		uint32_t depth = is_leaf_first ? i : side->nr - 1 - i;

		print_frame(p, out, side->frames[depth], depth ? FRAME_CALLER : FRAME_LEAF,
			    annotate, is_leaf_first);
	}
}

/*
 * Prints the stacks of a waker on top of the task's, so that both leaves meet, as offwaketime does.
 */
static void print_wakers(const struct printout *p, struct textbuf *out, const struct stack_row *row)
{
	if (!row_has_wakers(row))
		return;
	textbuf_str(out, ";--");
	print_side(p, out, &row->waker_kernel, true, true);
	if (is_delimited(p, &row->waker_kernel, &row->waker_user))
		textbuf_str(out, ";-");
	print_side(p, out, &row->waker_user, false, true);
}

void print_folded_stack(const struct printout *p, struct textbuf *out, const struct stack_row *row)
{
	labels_thread(p->labels, out, row->comm, row->tid);
	print_side(p, out, &row->user, false, false);
	if (is_delimited(p, &row->user, &row->kernel))
		textbuf_str(out, ";-");
	print_side(p, out, &row->kernel, true, false);
	print_wakers(p, out, row);
}
