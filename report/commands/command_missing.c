// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep missing: the files that would tell more of functions, for a script that fetches them. */
#include <unistd.h>

#include "common/cleanup.h"
#include "report/commands/commands.h"
#include "report/commands/recording_names.h"
#include "report/commands/shared_options.h"
#include "report/print/printers.h"

struct missing_options {
	struct source_request request;
	bool is_json;
	struct operands operands;
};

/* The files are the same for all events. */
static int print_json(const struct printout *p)
{
	struct json json = {.out = p->out};
	int ret;

	json_open(&json, NULL, '{');
	ret = print_missing_json(p, &json, NULL);
	json_close(&json, '}');
	textbuf_char(p->out, '\n');
	return ret;
}

static int run_missing(const void *options, struct command_io *io, struct err *err)
{
	const struct missing_options *o = options;
	_cleanup_(source_deinit) struct source source = {0};
	_cleanup_(recording_names_deinit) struct recording_names files = {0};
	int ret = recording_names_make(&files, o->operands.names, o->operands.nr, err);

	if (!ret)
		ret = source_load(&source, files.names.data, files.names.nr, &o->request, err);
	if (!ret) {
		const struct printout p = source_printout(&source, &io->out);
		struct terminal terminal;

		terminal_look(&terminal, STDOUT_FILENO);
		ret = print_error_set(o->is_json ? print_json(&p) : print_missing(&p, &terminal),
				      source.rec.name, err);
	}
	if (!ret)
		ret = command_io_finish(io, &source, 1, NULL, err);
	return ret;
}

/* Either option asks for both, since both are of one look-up. */
static const struct option_spec line_rows[] = {
	OPTION_FLAG_ROW(
		struct view, inlines, "inlines", 'i',
		.help = "also list files without debug information, those of the kernel included"),
	OPTION_FLAG_ROW(
		struct view, lines, "lines", 0,
		.help = "also list files without debug information, those of the kernel included"),
};

static const struct option_table line_options = {line_rows, ARRAY_SIZE(line_rows), "output", NULL};

const struct profrep_command missing_command = {
	COMMAND_TEXTS(
		"missing", "print build-id and path of files that would name more functions",
		"  profrep missing app.prof         # the most useful file first\n"
		"  profrep missing app.prof | while read -r id path; do ...; done\n"
		"  profrep missing -i app.prof      # what reports with -i and --lines lack\n"),
	.spec.parts =
		{
			{&timespan_options, offsetof(struct missing_options, request.span)},
			{&owner_options, offsetof(struct missing_options, request.filter)},
			{&stack_options, offsetof(struct missing_options, request.filter)},
			OPTION_PART(struct missing_options, json_options, is_json),
			{&line_options, offsetof(struct missing_options, request.view)},
			{&search_options, offsetof(struct missing_options, request.search)},
		},
	SEVERAL_RECORDINGS(struct missing_options),
	.run = run_missing,
};
