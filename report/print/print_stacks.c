// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/printers.h"

#include <inttypes.h>

/*
 * The recording does not tell the process of a waker, so its frames of user space have no address.
 */
#define PROCESS_OF_WAKER UINT32_MAX

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

/* Prints the lines of a frame: one for it, and one for each function that was inlined there. */
static void print_frame(const struct printout *p, uint32_t process, uint32_t frame,
			enum frame_place place, bool is_kernel, bool is_root_first)
{
	uint32_t nr = labels_nr_parts(p->labels, frame, place);

	for (uint32_t i = 0; i < nr; i++) {
		textbuf_str(p->out, has_hits(p) ? "  " : "    ");
		if (p->view->addresses)
			print_address(p, process, frame);
		labels_part(p->labels, p->out, frame, place, is_root_first ? nr - 1 - i : i);
		if (is_kernel && p->view->annotations)
			textbuf_str(p->out, "_[k]");
		textbuf_char(p->out, '\n');
	}
}

/*
 * Prints the frames of @side in @process, from the leaf or from the root on. bcc's stackcount
 * indents frames less than bcc's profile.
 */
static void print_side(const struct printout *p, const struct row_side *side, uint32_t process,
		       bool is_kernel, bool is_root_first)
{
	const char *indent = has_hits(p) ? "  " : "    ";

	if (side->is_missed)
		textbuf_printf(p->out, "%s[Missed %s Stack]\n", indent,
			       is_kernel ? "Kernel" : "User");
	for (uint32_t i = 0; i < side->nr; i++) {
		uint32_t depth = is_root_first ? side->nr - 1 - i : i;

		print_frame(p, process, side->frames[depth], depth ? FRAME_CALLER : FRAME_LEAF,
			    is_kernel, is_root_first);
	}
}

/*
 * Prints the stacks of the task that ended the time off the CPU, from the root to the leaf, and the
 * delimiter of bcc's offwaketime.
 */
static void print_wakers(const struct printout *p, const struct stack_row *row)
{
	if (!row_has_wakers(row))
		return;
	print_side(p, &row->waker_user, PROCESS_OF_WAKER, false, true);
	if (is_delimited(p, &row->waker_user, &row->waker_kernel))
		textbuf_str(p->out, "    --\n");
	print_side(p, &row->waker_kernel, PROCESS_OF_WAKER, true, true);
	textbuf_printf(p->out, "    %-16s --\n", "--");
}

/* Ends a row of counted hits. */
static void print_hits(const struct printout *p, const struct stack_row *row)
{
	if (p->view->per_process) {
		textbuf_str(p->out, "    ");
		labels_thread(p->labels, p->out, row->comm, row->tid);
		textbuf_printf(p->out, " [%" PRIu32 "]\n", row->pid);
	}
	textbuf_printf(p->out, "    %" PRIu64 "\n\n", row->count);
}

/* Ends a row of samples or of time off the CPU. */
static void print_samples(const struct printout *p, const struct stack_row *row)
{
	textbuf_printf(p->out, "    %-16s ", "-");
	labels_thread(p->labels, p->out, row->comm, row->tid);
	textbuf_printf(p->out, " (%" PRIu32 ")\n        %" PRIu64 "\n\n", row->pid, row->count);
}

static int print_row(void *ctx, const struct stack_row *row)
{
	const struct printout *p = ctx;

	print_wakers(p, row);
	print_side(p, &row->kernel, row->process, true, false);
	if (is_delimited(p, &row->kernel, &row->user))
		textbuf_str(p->out, "    --\n");
	print_side(p, &row->user, row->process, false, false);
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

static int print_line(void *ctx, const struct stack_row *row)
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

	return printout_visit(p, print_line, &copy, summary);
}
