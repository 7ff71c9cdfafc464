// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/printers.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "format/headline.h"

/* Prints bcc's line of stackcount for the event of the view. */
static int print_event_headline(const struct printout *p)
{
	const struct prof_event *event = &p->rec->meta->events[p->view->event];
	static const char *const units[] = {
		[PROF_UNIT_EVENTS] = "events",
		[PROF_UNIT_NS] = "nanoseconds",
		[PROF_UNIT_BYTES] = "bytes",
		[PROF_UNIT_NUMBER] = "sums",
	};

	textbuf_printf(p->out, "Tracing %" PRIu64 " functions for \"", event->nr_probes);
	textbuf_escaped(p->out, event->name, strlen(event->name), TEXT_PLAIN);
	textbuf_printf(p->out, "\" in %s\n", units[event->unit]);
	return 0;
}

int print_headline(const struct printout *p)
{
	const struct prof_meta *meta = p->rec->meta;
	/* The line has whole seconds. */
	uint64_t duration_s = meta->duration_ns / NS_PER_S + (meta->duration_ns % NS_PER_S != 0);
	_cleanup_free_ char *text = NULL;

	if (meta->nr_events)
		return print_event_headline(p);
	text = headline_format(meta, duration_s);
	if (!text)
		return -ENOMEM;
	textbuf_str(p->out, text);
	textbuf_char(p->out, '\n');
	return 0;
}

static void print_address(const struct printout *p, uint32_t process, uint32_t frame)
{
	uint64_t addr;

	if (model_address(&p->rec->model, process, frame, &addr))
		textbuf_printf(p->out, "0x%016" PRIx64 " ", addr);
	else
		textbuf_str(p->out, "0x???????????????? ");
}

static void print_side(const struct printout *p, const struct stack_row *row,
		       const struct row_side *side, bool is_kernel)
{
	if (side->is_missed)
		textbuf_str(p->out, is_kernel ? "    [Missed Kernel Stack]\n"
					      : "    [Missed User Stack]\n");
	for (uint32_t i = 0; i < side->nr; i++) {
		textbuf_str(p->out, "    ");
		if (p->view->addresses)
			print_address(p, row->process, side->frames[i]);
		labels_frame(p->labels, p->out, side->frames[i], i ? FRAME_CALLER : FRAME_LEAF);
		if (is_kernel && p->view->annotations)
			textbuf_str(p->out, "_[k]");
		textbuf_char(p->out, '\n');
	}
}

static int print_row(void *ctx, const struct stack_row *row)
{
	const struct printout *p = ctx;

	print_side(p, row, &row->kernel, true);
	if (p->view->delimited && row->kernel.is_present && row->user.is_present)
		textbuf_str(p->out, "    --\n");
	print_side(p, row, &row->user, false);
	textbuf_printf(p->out, "    %-16s ", "-");
	labels_string(p->labels, p->out, row->comm);
	textbuf_printf(p->out, " (%" PRIu32 ")\n        %" PRIu64 "\n\n", row->pid, row->count);
	return 0;
}

int print_stacks(const struct printout *p, struct rows_summary *summary)
{
	struct printout copy = *p;

	return rows_visit(&p->rec->model, p->view, print_row, &copy, summary);
}
