// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep diff: two recordings as folded stacks with both counts. */
#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/commands/commands.h"
#include "report/commands/shared_options.h"
#include "report/print/print_errors.h"
#include "report/print/printers.h"

struct diff_options {
	struct source_request request;
	bool normalize;
	const char *files[2];
};

static int take_diff_operands(void *options, int nr, char **operands, struct err *err)
{
	struct diff_options *o = options;

	if (nr != 2)
		return err_set(err, -EINVAL,
			       "command diff: needs two recordings, BEFORE and AFTER");
	if (!strcmp(operands[0], "-") && !strcmp(operands[1], "-"))
		return err_set(err, -EINVAL, "command diff: only one recording can be '-'");
	o->files[0] = operands[0];
	o->files[1] = operands[1];
	o->request.view.folded = true;
	return 0;
}

/* Counts in different units cannot be compared. */
static int check_units(const struct source *sources, struct err *err)
{
	const struct recording *before = &sources[0].rec, *after = &sources[1].rec;
	const char *units[] = {event_unit(before->meta, sources[0].view.event),
			       event_unit(after->meta, sources[1].view.event)};

	if (strcmp(units[0], units[1]) == 0)
		return 0;
	err_set(err, -EINVAL, "failed to compare '%s' with '%s': one counts %s, the other %s",
		before->name, after->name, units[0], units[1]);
	return err_hint(err, -EINVAL, "'profrep info' lists the events of a recording");
}

/* One of the recordings may be of another function, or of another argument. */
static void warn_of_events(const struct source *sources, struct textbuf *warnings)
{
	const struct prof_meta *before = sources[0].rec.meta, *after = sources[1].rec.meta;
	uint32_t first = sources[0].view.event, second = sources[1].view.event;

	/* Recordings of samples alone name the event in the headline only. */
	if (!before->nr_events || !after->nr_events ||
	    (!strcmp(event_name(before, first), event_name(after, second)) &&
	     !strcmp(event_weight(before, first), event_weight(after, second))))
		return;
	textbuf_str(warnings, "WARNING: the events differ: ");
	print_event_name(before, first, warnings);
	textbuf_str(warnings, " and ");
	print_event_name(after, second, warnings);
	textbuf_str(warnings, ".\n");
}

static int print_both(const struct diff_options *o, struct source *sources, struct textbuf *out,
		      struct rows_summary *summary, struct err *err)
{
	const struct printout before = source_printout(&sources[0], out);
	const struct printout after = source_printout(&sources[1], out);
	int ret = check_units(sources, err);

	if (ret)
		return ret;
	ret = print_diff(&before, &after, o->normalize, summary);
	if (ret != -EDOM)
		return print_error_set(ret, o->files[0], err);
	err_set(err, ret, "failed to normalize '%s': it holds no %s", o->files[0],
		event_unit(sources[0].rec.meta, sources[0].view.event));
	return err_hint(err, ret, "without -n the counts are compared as they are");
}

static int run_diff(const void *options, struct command_io *io, struct err *err)
{
	const struct diff_options *o = options;
	struct source sources[2] = {0};
	struct rows_summary summary;
	int ret = sources_load(sources, o->files, 2, &o->request, err);

	if (!ret)
		ret = print_both(o, sources, &io->out, &summary, err);
	if (!ret)
		ret = command_io_finish(io, sources, 2, &summary, err);
	if (!ret)
		warn_of_events(sources, &io->warnings);
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		source_deinit(&sources[i]);
	return ret;
}

static const struct option_spec diff_rows[] = {
	OPTION_FLAG_ROW(struct diff_options, normalize, "normalize", 'n',
			.help = "scale the counts of BEFORE to the sum of AFTER"),
};

static const struct option_table own_options = {diff_rows, ARRAY_SIZE(diff_rows), NULL};

const struct profrep_command diff_command = {
	COMMAND_TEXTS("diff", "compare two recordings: folded stacks with both counts",
		      "  profrep diff old.prof new.prof | flamegraph.pl > diff.svg\n"
		      "  profrep diff -n old.prof new.prof  # of different lengths\n"),
	.spec.usage = "[OPTIONS] BEFORE AFTER",
	.spec.parts =
		{
			{&own_options, 0},
			{&frame_options, offsetof(struct diff_options, request.view)},
			{&side_options, offsetof(struct diff_options, request.view)},
			{&event_options, offsetof(struct diff_options, request.event)},
			{&timespan_options, offsetof(struct diff_options, request.span)},
			{&search_options, offsetof(struct diff_options, request.search)},
		},
	.options_size = sizeof(struct diff_options),
	.take_operands = take_diff_operands,
	.run = run_diff,
};
