// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/printers.h"

static void print_side(const struct printout *p, struct textbuf *out, const struct row_side *side,
		       bool is_kernel)
{
	bool annotate = is_kernel && p->view->annotations;

	if (side->is_missed)
		textbuf_str(out, is_kernel ? ";[Missed Kernel Stack]" : ";[Missed User Stack]");
	for (uint32_t i = side->nr; i-- > 0;) {
		textbuf_char(out, ';');
		labels_frame(p->labels, out, side->frames[i], i ? FRAME_CALLER : FRAME_LEAF);
		if (annotate)
			textbuf_str(out, "_[k]");
	}
}

void print_folded_stack(const struct printout *p, struct textbuf *out, const struct stack_row *row)
{
	labels_string(p->labels, out, row->comm);
	print_side(p, out, &row->user, false);
	if (is_delimited(p, row))
		textbuf_str(out, ";-");
	print_side(p, out, &row->kernel, true);
}

static int print_row(void *ctx, const struct stack_row *row)
{
	const struct printout *p = ctx;

	print_folded_stack(p, p->out, row);
	textbuf_char(p->out, ' ');
	textbuf_u64(p->out, row->count);
	textbuf_char(p->out, '\n');
	return 0;
}

int print_folded(const struct printout *p, struct rows_summary *summary)
{
	struct printout copy = *p;

	return printout_visit(p, print_row, &copy, summary);
}
