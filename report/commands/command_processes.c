// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep processes: a table of the processes that were sampled. */
#include "common/cleanup.h"
#include "report/commands/commands.h"
#include "report/commands/shared_options.h"

struct processes_options {
	struct source_request request; /* without the view and the search */
	bool is_json;
	const char *file;
};

static int run_processes(const void *options, struct command_io *io, struct err *err)
{
	const struct processes_options *o = options;
	_cleanup_(source_deinit) struct source source = {0};
	const struct timespan span = source_timespan(&o->request);
	int ret = recording_load(&source.rec, o->file, &span, err);

	if (!ret)
		ret = source_choose(&source, &o->request, err);
	if (!ret)
		ret = source_filter(&source, err);
	if (!ret)
		ret = source_check_filter(&source, err);
	if (!ret && o->is_json)
		ret = command_io_print_json(io, &source, print_processes_json, err);
	else if (!ret)
		ret = command_io_print_tables(io, &source, print_processes, err);
	return ret;
}

const struct profrep_command processes_command = {
	COMMAND_TEXTS("processes", "print the sampled processes: user, threads, executable, cgroup",
		      "  profrep processes app.prof\n"
		      "  profrep processes --from 60 app.prof  # those that ran after a minute\n"),
	.spec.parts = {OPTION_PART(struct processes_options, json_options, is_json),
		       {&event_options, offsetof(struct processes_options, request.event)},
		       {&timespan_options, offsetof(struct processes_options, request.span)},
		       {&owner_options, offsetof(struct processes_options, request.filter)}},
	ONE_RECORDING(struct processes_options),
	.run = run_processes,
};
