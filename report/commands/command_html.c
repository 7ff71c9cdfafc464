// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep html: recordings as a page for a browser. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/commands/commands.h"
#include "report/commands/page_output.h"
#include "report/commands/shared_options.h"
#include "report/html/page.h"
#include "report/print/print_errors.h"

/* Pictures side by side; more are too narrow to read. */
#define RECORDINGS_MAX 16

struct html_options {
	struct source_request request;
	const char *output;
	const char *files[RECORDINGS_MAX];
	size_t nr_files;
};

static int take_html_operands(void *options, int nr, char **operands, struct err *err)
{
	struct html_options *o = options;
	int nr_streams = 0;

	if (nr > RECORDINGS_MAX)
		return err_set(err, -EINVAL, "command html: takes at most %d recordings",
			       RECORDINGS_MAX);
	o->files[0] = DEFAULT_RECORDING;
	o->nr_files = nr ? nr : 1;
	for (int i = 0; i < nr; i++) {
		o->files[i] = operands[i];
		nr_streams += !strcmp(operands[i], "-");
	}
	if (nr_streams > 1)
		return err_set(err, -EINVAL, "command html: only one recording can be '-'");
	o->request.span.keeps_slots = true;
	page_choose_names(&o->request.view);
	return 0;
}

/* Makes a profile of each event that the user wants to see. */
static int fill_profiles(struct source *sources, size_t nr, struct page_profile *profiles)
{
	for (size_t i = 0; i < nr; i++) {
		for (uint32_t e = 0; e < sources[i].events.nr; e++) {
			if (page_profile_init(profiles, 1))
				return -ENOMEM;
			profiles->parts[0].source = &sources[i];
			profiles++->parts[0].event = sources[i].events.first + e;
		}
	}
	return 0;
}

static int print_sources(const struct html_options *o, struct source *sources,
			 struct command_io *io, struct err *err)
{
	struct rows_summary summary = {0};
	struct page_profile *profiles;
	size_t nr = 0;
	int ret = -ENOMEM;

	for (size_t i = 0; i < o->nr_files; i++)
		nr += sources[i].events.nr;
	profiles = calloc(nr, sizeof(*profiles));
	if (profiles)
		ret = fill_profiles(sources, o->nr_files, profiles);
	ret = print_error_set(ret, o->files[0], err);
	if (!ret)
		ret = page_output_print(io, o->output, o->files[0], profiles, nr, err);
	for (size_t i = 0; profiles && i < nr; i++) {
		rows_summary_add(&summary, &profiles[i].summary);
		page_profile_deinit(&profiles[i]);
	}
	free(profiles);
	return ret ? ret : command_io_finish(io, sources, o->nr_files, &summary, err);
}

static int run_html(const void *options, struct command_io *io, struct err *err)
{
	const struct html_options *o = options;
	struct source sources[RECORDINGS_MAX] = {0};
	int ret = sources_load(sources, o->files, o->nr_files, &o->request, err);

	if (!ret)
		ret = print_sources(o, sources, io, err);
	for (size_t i = 0; i < o->nr_files; i++)
		source_deinit(&sources[i]);
	return ret;
}

static const struct option_spec html_rows[] = {
	{
		.name = "output",
		.short_name = 'o',
		.type = OPTION_STRING,
		.offset = offsetof(struct html_options, output),
		.metavar = "FILE",
		.help = "write the page to FILE, '-' for standard output (RECORDING.html)",
	},
};

static const struct option_table own_options = {html_rows, ARRAY_SIZE(html_rows), NULL};

const struct profrep_command html_command = {
	COMMAND_TEXTS("html", "make a page of flame graphs and tables for a browser",
		      "  profrep html app.prof            # writes app.html\n"
		      "  profrep html -o both.html before.prof after.prof  # side by side\n"),
	.spec.usage = "[OPTIONS] [FILE...]",
	.spec.parts =
		{
			{&own_options, 0},
			{&debug_options, offsetof(struct html_options, request.view)},
			{&name_options, offsetof(struct html_options, request.view)},
			{&side_options, offsetof(struct html_options, request.view)},
			{&event_options, offsetof(struct html_options, request.event)},
			{&timespan_options, offsetof(struct html_options, request.span)},
			{&owner_options, offsetof(struct html_options, request.filter)},
			{&stack_options, offsetof(struct html_options, request.filter)},
			{&search_options, offsetof(struct html_options, request.search)},
		},
	.options_size = sizeof(struct html_options),
	.take_operands = take_html_operands,
	.run = run_html,
};
