// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * profrep info: the facts about a recording. Losses are among them, so no warning repeats the
 * losses.
 */
#include "common/cleanup.h"
#include "report/commands/commands.h"
#include "report/commands/shared_options.h"
#include "report/print/printers.h"

struct info_options {
	bool is_json;
	const char *file;
};

static int run_info(const void *options, struct command_io *io, struct err *err)
{
	const struct info_options *o = options;
	const struct timespan everything = {0};
	_cleanup_(recording_deinit) struct recording rec = {0};
	int ret = recording_load(&rec, o->file, &everything, err);

	if (!ret)
		ret = print_error_set(o->is_json ? print_info_json(&rec, &io->out)
						 : print_info(&rec, &io->out),
				      o->file, err);
	if (!ret)
		ret = print_flush(&io->out, err);
	if (!ret)
		command_io_add_recording(io, &rec);
	return ret;
}

const struct profrep_command info_command = {
	COMMAND_TEXTS("info", "print facts about a recording: host, event, samples, losses",
		      "  profrep info                     # of profrec.prof\n"
		      "  profrep info app.prof\n"),
	.spec.parts = {OPTION_PART(struct info_options, json_options, is_json)},
	ONE_RECORDING(struct info_options),
	.run = run_info,
};
