// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep plan: how many recordings a comparison needs, and how long they have to be. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/commands/commands.h"
#include "report/commands/compare_options.h"
#include "report/commands/shared_options.h"
#include "report/compare/plan.h"
#include "report/print/print_changes.h"

struct plan_options {
	struct source_request request;
	struct compare_request compare;
	bool all;
	double percent;
	const char *const *files;
	size_t nr_files;
};

static int take_plan_operands(void *options, int nr, char **operands, struct err *err)
{
	struct plan_options *o = options;

	if (nr < 1)
		return err_set(err, -EINVAL, "command plan: needs a percentage and recordings");
	if (parse_percent(operands[0], 0.001, 1e6, &o->percent)) {
		err_set(err, -EINVAL, "command plan: '%s' is not a percentage above 0",
			operands[0]);
		return err_hint(err, -EINVAL, "'profrep plan 5 a*.prof' plans for changes of 5 %%");
	}
	if (nr - 1 < CHANGE_RECORDINGS_MIN) {
		err_set(err, -EINVAL, "command plan: needs %d recordings or more",
			CHANGE_RECORDINGS_MIN);
		return err_hint(
			err, -EINVAL,
			"'profrec --repeat 5 -o pilot-%%H%%M%%S.prof 30' makes five recordings");
	}
	o->files = (const char *const *)operands + 1;
	o->nr_files = nr - 1;
	return compare_request_check(&o->compare, 0, o->nr_files, err);
}

static int print_plan_of(const struct plan_options *o, struct source *sources, struct textbuf *out,
			 struct rows_summary *summary, struct err *err)
{
	struct compared_sources counted = {0};
	struct plan plan = {0};
	const struct changes_printout p = {
		.tally = &counted.tally,
		.per = o->compare.per,
		.work = o->compare.work_name,
		.all = o->all,
		.is_off_cpu = event_is_off_cpu(sources[0].rec.meta, sources[0].view.event),
	};
	int ret = compared_sources_count(&counted, sources, o->nr_files, &o->compare, summary, err);

	if (!ret && plan_make(&plan, o->percent / 100, &counted, sources, o->nr_files))
		ret = err_set(err, -ENOMEM, "failed to plan: out of memory");
	if (!ret)
		print_plan(&plan, &p, out);
	plan_deinit(&plan);
	compared_sources_deinit(&counted);
	return ret;
}

static int run_plan(const void *options, struct command_io *io, struct err *err)
{
	const struct plan_options *o = options;
	_cleanup_free_ struct source *sources = calloc(o->nr_files, sizeof(*sources));
	struct source_request request = o->request;
	struct rows_summary summary = {0};
	int ret;

	if (!sources)
		return err_set(err, -ENOMEM, "failed to plan: out of memory");
	compare_request_view(&o->compare, &request.view);
	ret = sources_load(sources, o->files, o->nr_files, &request, err);
	if (!ret)
		ret = print_plan_of(o, sources, &io->out, &summary, err);
	if (!ret)
		ret = command_io_finish(io, sources, o->nr_files, &summary, err);
	for (size_t i = 0; i < o->nr_files; i++)
		source_deinit(&sources[i]);
	return ret;
}

static void release_plan(void *options)
{
	struct plan_options *o = options;

	vec_free(&o->compare.work);
}

static const struct option_spec plan_rows[] = {
	OPTION_FLAG_ROW(struct plan_options, all, "all", 'A',
			.help = "print all functions, not only the largest"),
};

static const struct option_table own_options = {plan_rows, ARRAY_SIZE(plan_rows), "output", NULL};

const struct profrep_command plan_command = {
	COMMAND_TEXTS(
		"plan", "tell how many recordings it takes to see a change",
		"  profrep plan 5 pilot*.prof       # a change of 5 %, given pilot recordings\n"
		"  profrep plan --per cpu 1 pilot*.prof\n"),
	.spec.usage = "[OPTIONS] PERCENT PILOT...",
	.spec.parts =
		{
			{&own_options, 0},
			{&compare_options, offsetof(struct plan_options, compare)},
			{&frame_options, offsetof(struct plan_options, request.view)},
			STACK_OPTION_PARTS(struct plan_options),
		},
	.options_size = sizeof(struct plan_options),
	.take_operands = take_plan_operands,
	.release = release_plan,
	.run = run_plan,
};
