// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep files: a table of the files that were sampled. */
#include "common/cleanup.h"
#include "report/commands/commands.h"
#include "report/commands/recording_names.h"
#include "report/commands/shared_options.h"

struct files_options {
	struct source_request request;
	bool is_json;
	struct operands operands;
};

static int run_files(const void *options, struct command_io *io, struct err *err)
{
	const struct files_options *o = options;
	_cleanup_(source_deinit) struct source source = {0};
	_cleanup_(recording_names_deinit) struct recording_names files = {0};
	int ret = recording_names_make(&files, o->operands.names, o->operands.nr, err);

	if (!ret)
		ret = source_load(&source, files.names.data, files.names.nr, &o->request, err);
	if (!ret && o->is_json)
		return command_io_print_json(io, &source, print_files_json, err);
	return ret ? ret : command_io_print_tables(io, &source, print_files, err);
}

const struct profrep_command files_command = {
	COMMAND_TEXTS("files", "print the sampled files, and the source of their symbols",
		      "  profrep files app.prof           # also the reasons for missing symbols\n"
		      "  profrep files --symfs root/ app.prof  # with another host's binaries\n"),
	.spec.parts =
		{
			OPTION_PART(struct files_options, json_options, is_json),
			{&side_options, offsetof(struct files_options, request.view)},
			{&event_options, offsetof(struct files_options, request.event)},
			{&timespan_options, offsetof(struct files_options, request.span)},
			{&owner_options, offsetof(struct files_options, request.filter)},
			{&stack_options, offsetof(struct files_options, request.filter)},
			{&search_options, offsetof(struct files_options, request.search)},
		},
	SEVERAL_RECORDINGS(struct files_options),
	.run = run_files,
};
