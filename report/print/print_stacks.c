// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/printers.h"

#include <inttypes.h>

int printout_visit(const struct printout *p, row_fn visit, void *ctx, struct rows_summary *summary)
{
	const struct model *model = &p->rec->model;

	if (has_hits(p))
		return rows_visit_alike(model, p->symbols, p->view, visit, ctx, summary);
	return rows_visit(model, p->view, visit, ctx, summary);
}

static void print_address(const struct printout *p, uint32_t process, uint32_t frame)
{
	uint64_t addr;
	bool is_known = model_address(&p->rec->model, process, frame, &addr);

	if (has_hits(p) && is_known)
		textbuf_printf(p->out, "%-16" PRIx64 " ", addr);
	else if (is_known)
		textbuf_printf(p->out, "0x%016" PRIx64 " ", addr);
	else
		textbuf_str(p->out, has_hits(p) ? "???????????????? " : "0x???????????????? ");
}

/* Prints a side of @row, in which bcc's stackcount indents the frames less than bcc's profile. */
static void print_side(const struct printout *p, const struct stack_row *row,
		       const struct row_side *side, bool is_kernel)
{
	const char *indent = has_hits(p) ? "  " : "    ";

	if (side->is_missed)
		textbuf_printf(p->out, "%s[Missed %s Stack]\n", indent,
			       is_kernel ? "Kernel" : "User");
	for (uint32_t i = 0; i < side->nr; i++) {
		textbuf_str(p->out, indent);
		if (p->view->addresses)
			print_address(p, row->process, side->frames[i]);
		labels_frame(p->labels, p->out, side->frames[i], i ? FRAME_CALLER : FRAME_LEAF);
		if (is_kernel && p->view->annotations)
			textbuf_str(p->out, "_[k]");
		textbuf_char(p->out, '\n');
	}
}

/* Ends a row of counted hits. */
static void print_hits(const struct printout *p, const struct stack_row *row)
{
	if (p->view->per_process) {
		textbuf_str(p->out, "    ");
		labels_string(p->labels, p->out, row->comm);
		textbuf_printf(p->out, " [%" PRIu32 "]\n", row->pid);
	}
	textbuf_printf(p->out, "    %" PRIu64 "\n\n", row->count);
}

/* Ends a row of samples or of time off the CPU. */
static void print_samples(const struct printout *p, const struct stack_row *row)
{
	textbuf_printf(p->out, "    %-16s ", "-");
	labels_string(p->labels, p->out, row->comm);
	textbuf_printf(p->out, " (%" PRIu32 ")\n        %" PRIu64 "\n\n", row->pid, row->count);
}

static int print_row(void *ctx, const struct stack_row *row)
{
	const struct printout *p = ctx;

	print_side(p, row, &row->kernel, true);
	if (is_delimited(p, row))
		textbuf_str(p->out, "    --\n");
	print_side(p, row, &row->user, false);
	if (has_hits(p))
		print_hits(p, row);
	else
		print_samples(p, row);
	return 0;
}

int print_stacks(const struct printout *p, struct rows_summary *summary)
{
	struct printout copy = *p;

	return printout_visit(p, print_row, &copy, summary);
}
