// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep report: the stacks of a recording, or of each of its intervals. */
#include "common/cleanup.h"
#include "report/commands/commands.h"
#include "report/commands/recording_names.h"
#include "report/commands/shared_options.h"
#include "report/print/print_intervals.h"
#include "report/print/printers.h"

struct report_options {
	struct source_request request;
	bool timestamp;
	struct operands operands;
};

/* Prints the rows of an event. @ctx is the summary of all events. */
static int print_event(const struct printout *p, void *ctx)
{
	struct rows_summary seen = {0};
	int ret;

	if (p->view->folded) {
		ret = print_folded(p, &seen);
	} else {
		ret = print_headline(p);
		textbuf_char(p->out, '\n');
		if (!ret)
			ret = print_stacks(p, &seen);
	}
	rows_summary_add(ctx, &seen);
	return ret;
}

static int print_sums(const struct report_options *o, const struct recording_names *files,
		      struct source *source, struct textbuf *out, struct rows_summary *summary,
		      struct err *err)
{
	int ret = source_load(source, files->names.data, files->names.nr, &o->request, err);

	if (ret)
		return ret;
	return print_error_set(source_print_events(source, out, print_event, summary),
			       source->rec.name, err);
}

static int print_timeline(const struct report_options *o, const struct recording_names *files,
			  struct source *source, struct textbuf *out, struct rows_summary *summary,
			  struct err *err)
{
	if (files->names.nr == 1)
		return print_intervals(source, files->names.data[0], &o->request, NULL, out,
				       summary, err);
	err_set(err, -EINVAL, "option --timestamp: needs one recording, not %zu", files->names.nr);
	return err_hint(err, -EINVAL, "the intervals of several recordings are not in step");
}

static int run_report(const void *options, struct command_io *io, struct err *err)
{
	const struct report_options *o = options;
	_cleanup_(source_deinit) struct source source = {0};
	_cleanup_(recording_names_deinit) struct recording_names files = {0};
	struct rows_summary summary = {0};
	int ret = recording_names_make(&files, o->operands.names, o->operands.nr, err);

	if (!ret && o->timestamp)
		ret = print_timeline(o, &files, &source, &io->out, &summary, err);
	else if (!ret)
		ret = print_sums(o, &files, &source, &io->out, &summary, err);
	if (!ret)
		ret = command_io_finish(io, &source, 1, &summary, err);
	return ret;
}

#define REPORT_ROW(...) OPTION_FLAG_ROW(struct report_options, __VA_ARGS__)

static const struct option_spec layout_rows[] = {
	REPORT_ROW(request.view.folded, "folded", 'f',
		   .help = "print one line per stack, for flame graphs"),
	REPORT_ROW(timestamp, "timestamp", 'T',
		   .help = "print each interval separately, below the time at which it ended"),
	REPORT_ROW(request.view.addresses, "addresses", 'v',
		   .help = "print raw addresses before names (not in folded output)"),
};

static const struct option_table layout_options = {layout_rows, ARRAY_SIZE(layout_rows), "output",
						   NULL};

const struct profrep_command report_command = {
	COMMAND_TEXTS("report", "print the sampled stacks, with their counts",
		      "  profrep report app.prof          # or short: profrep app.prof\n"
		      "  profrep report -f app.prof       # folded, for flame graphs\n"
		      "  profrep report -f @names         # of all recordings in a list\n"),
	.spec.parts =
		{
			{&layout_options, 0},
			{&frame_options, offsetof(struct report_options, request.view)},
			OPTION_PART(struct report_options, lead_options, request.view),
			OPTION_PART(struct report_options, thread_options, request.span),
			STACK_OPTION_PARTS(struct report_options),
		},
	SEVERAL_RECORDINGS(struct report_options),
	.run = run_report,
};
