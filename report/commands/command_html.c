// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep html: recordings as a page for a browser. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/commands/commands.h"
#include "report/commands/page_output.h"
#include "report/commands/recording_names.h"
#include "report/commands/shared_options.h"
#include "report/html/page.h"
#include "report/print/print_errors.h"

/* Pictures side by side; more are too narrow to read. */
#define RECORDINGS_MAX 16

struct html_options {
	struct source_request request;
	const char *output;
	struct operands operands;
};

static int take_html_operands(void *options, int nr, char **operands, struct err *err)
{
	struct html_options *o = options;
	int nr_streams = 0;

	if (nr > RECORDINGS_MAX) {
		err_set(err, -EINVAL, "command html: takes at most %d recordings", RECORDINGS_MAX);
		return err_hint(err, -EINVAL, "@LIST shows the sum of the recordings in LIST");
	}
	for (int i = 0; i < nr; i++)
		nr_streams += !strcmp(operands[i], "-");
	if (nr_streams > 1)
		return err_set(err, -EINVAL, "command html: only one recording can be '-'");
	o->operands = (struct operands){operands, nr};
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

static int print_sources(const struct html_options *o, struct source *sources, size_t nr_sources,
			 struct command_io *io, struct err *err)
{
	const char *name = sources[0].rec.name;
	struct rows_summary summary = {0};
	struct page_profile *profiles;
	size_t nr = 0;
	int ret = -ENOMEM;

	for (size_t i = 0; i < nr_sources; i++)
		nr += sources[i].events.nr;
	profiles = calloc(nr, sizeof(*profiles));
	if (profiles)
		ret = fill_profiles(sources, nr_sources, profiles);
	ret = print_error_set(ret, name, err);
	if (!ret)
		ret = page_output_print(io, o->output, name, profiles, nr, err);
	for (size_t i = 0; profiles && i < nr; i++) {
		rows_summary_add(&summary, &profiles[i].summary);
		page_profile_deinit(&profiles[i]);
	}
	free(profiles);
	return ret ? ret : command_io_finish(io, sources, nr_sources, &summary, err);
}

/* Reads the recordings of each operand into a source. */
static int load_sources(const struct html_options *o, struct recording_names *names, size_t nr,
			struct source *sources, struct err *err)
{
	struct source_files files[RECORDINGS_MAX];

	for (size_t i = 0; i < nr; i++) {
		int nr_operands = o->operands.nr ? 1 : 0;
		int ret = recording_names_make(&names[i], o->operands.names + i, nr_operands, err);

		if (ret)
			return ret;
		files[i] = (struct source_files){names[i].names.data, names[i].names.nr};
	}
	return sources_load_sums(sources, files, nr, &o->request, err);
}

static int run_html(const void *options, struct command_io *io, struct err *err)
{
	const struct html_options *o = options;
	struct recording_names names[RECORDINGS_MAX] = {0};
	struct source sources[RECORDINGS_MAX] = {0};
	size_t nr = o->operands.nr ? o->operands.nr : 1;
	int ret = load_sources(o, names, nr, sources, err);

	if (!ret)
		ret = print_sources(o, sources, nr, io, err);
	for (size_t i = 0; i < nr; i++) {
		source_deinit(&sources[i]);
		recording_names_deinit(&names[i]);
	}
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
		      "  profrep html -o both.html before.prof after.prof  # side by side\n"
		      "  profrep html -o all.html @names  # the sum of those in a list\n"),
	.spec.usage = "[OPTIONS] [FILE|@LIST...]",
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
