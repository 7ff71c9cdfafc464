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

static int print_both(const struct diff_options *o, struct source *sources, struct textbuf *out,
		      struct rows_summary *summary, struct err *err)
{
	const struct printout before = source_printout(&sources[0], &o->request.view, out);
	const struct printout after = source_printout(&sources[1], &o->request.view, out);
	int ret = print_diff(&before, &after, o->normalize, summary);

	if (ret != -EDOM)
		return print_error_set(ret, o->files[0], err);
	err_set(err, ret, "failed to normalize '%s': it holds no samples", o->files[0]);
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
	.spec.name = "diff",
	.spec.summary = "compare two recordings: folded stacks with both counts",
	.spec.usage = "[OPTIONS] BEFORE AFTER",
	.spec.examples = "  profrep diff old.prof new.prof | flamegraph.pl > diff.svg\n"
			 "  profrep diff -n old.prof new.prof  # of different lengths\n",
	.spec.parts =
		{
			{&own_options, 0},
			{&frame_options, offsetof(struct diff_options, request.view)},
			{&side_options, offsetof(struct diff_options, request.view)},
			{&timespan_options, offsetof(struct diff_options, request.span)},
			{&search_options, offsetof(struct diff_options, request.search)},
		},
	.options_size = sizeof(struct diff_options),
	.take_operands = take_diff_operands,
	.run = run_diff,
};
