// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep html: recordings as a page for a browser. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "report/commands/commands.h"
#include "report/model/folded_recording.h"
#include "report/commands/page_output.h"
#include "report/commands/recording_names.h"
#include "report/commands/shared_options.h"
#include "report/html/page.h"

/* Pictures side by side; more are too narrow to read. */
#define RECORDINGS_MAX 16

struct html_options {
	struct source_request request;
	const char *output;
	bool folded; /* the operands are folded stacks */
	struct source_dirs dirs;
	struct operands operands;
};

/* Folded stacks, made into a recording in memory. */
struct folded_input {
	int fd;
	char path[32];    /* to open it by */
	const char *name; /* the path, as a list */
};

/* The recordings that an operand names, and all files that are read for them. */
struct html_inputs {
	struct recording_names names[RECORDINGS_MAX];
	struct source_files recordings[RECORDINGS_MAX], all[RECORDINGS_MAX];
	struct folded_input folded[RECORDINGS_MAX];
	size_t nr, nr_folded;
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
	/* An inlined function has lines of its own. */
	o->request.view.inlines |= o->dirs.nr > 0;
	return 0;
}

/* Makes a profile of each event that the user wants to see. */
static int fill_profiles(const struct html_options *o, struct source *sources, size_t nr,
			 struct page_profile *profiles)
{
	for (size_t i = 0; i < nr; i++) {
		for (uint32_t e = 0; e < sources[i].events.nr; e++) {
			if (page_profile_init(profiles, 1))
				return -ENOMEM;
			profiles->sources.dirs = o->dirs.nr ? &o->dirs : NULL;
			profiles->parts[0].source = &sources[i];
			profiles++->parts[0].event = sources[i].events.first + e;
		}
	}
	return 0;
}

static struct output_request request_of(const struct html_options *o,
					const struct html_inputs *inputs)
{
	return (struct output_request){o->output, inputs->all, inputs->nr};
}

static int print_sources(const struct html_options *o, struct source *sources,
			 const struct html_inputs *inputs, struct command_io *io, struct err *err)
{
	const struct output_request request = request_of(o, inputs);
	const char *name = sources[0].rec.name;
	struct rows_summary summary = {0};
	struct page_profile *profiles;
	size_t nr = 0;
	int ret = -ENOMEM;

	for (size_t i = 0; i < inputs->nr; i++)
		nr += sources[i].events.nr;
	profiles = calloc(nr, sizeof(*profiles));
	if (profiles)
		ret = fill_profiles(o, sources, inputs->nr, profiles);
	ret = print_error_set(ret, name, err);
	if (!ret)
		ret = page_output_print(io, &request, name, profiles, nr, err);
	for (size_t i = 0; profiles && i < nr; i++) {
		rows_summary_add(&summary, &profiles[i].summary);
		page_profile_deinit(&profiles[i]);
	}
	free(profiles);
	return ret ? ret : command_io_finish(io, sources, inputs->nr, &summary, err);
}

static int name_inputs(const struct html_options *o, struct html_inputs *inputs, struct err *err)
{
	for (size_t i = 0; i < inputs->nr; i++) {
		struct recording_names *names = &inputs->names[i];
		int nr_operands = o->operands.nr ? 1 : 0;
		int ret = recording_names_make(names, o->operands.names + i, nr_operands, err);

		if (ret)
			return ret;
		inputs->recordings[i] = (struct source_files){names->names.data, names->names.nr};
		inputs->all[i] = (struct source_files){names->inputs.data, names->inputs.nr};
	}
	return 0;
}

/* Makes recordings of folded stacks, and reads those instead. */
static int make_folded(struct html_inputs *inputs, struct err *err)
{
	for (size_t i = 0; i < inputs->nr; i++) {
		struct folded_input *folded = &inputs->folded[i];
		int ret;

		if (inputs->recordings[i].nr != 1)
			return err_set(err, -EINVAL, "option --folded: takes no lists");
		ret = folded_recording_make(inputs->recordings[i].names[0], &folded->fd, err);
		if (ret)
			return ret;
		inputs->nr_folded++;
		snprintf(folded->path, sizeof(folded->path), "/proc/self/fd/%d", folded->fd);
		folded->name = folded->path;
		inputs->recordings[i].names = &folded->name;
	}
	return 0;
}

/* Gives recordings of folded stacks the names that the user knows. */
static void rename_folded(const struct html_inputs *inputs, struct source *sources)
{
	for (size_t i = 0; i < inputs->nr_folded; i++)
		sources[i].rec.name = inputs->names[i].names.data[0];
}

/* Reads the recordings of each operand into a source. */
static int load_sources(const struct html_options *o, struct html_inputs *inputs,
			struct source *sources, struct err *err)
{
	int ret = name_inputs(o, inputs, err);
	struct output_request request = request_of(o, inputs);

	if (!ret)
		ret = page_output_check(&request, inputs->recordings[0].names[0], err);
	if (!ret && o->folded)
		ret = make_folded(inputs, err);
	return ret ? ret
		   : sources_load_sums(sources, inputs->recordings, inputs->nr, &o->request, err);
}

static int run_html(const void *options, struct command_io *io, struct err *err)
{
	const struct html_options *o = options;
	struct html_inputs inputs = {.nr = o->operands.nr ? o->operands.nr : 1};
	struct source sources[RECORDINGS_MAX] = {0};
	int ret = source_dirs_check(&o->dirs, err);

	if (!ret)
		ret = load_sources(o, &inputs, sources, err);
	rename_folded(&inputs, sources);
	if (!ret)
		ret = print_sources(o, sources, &inputs, io, err);
	for (size_t i = 0; i < inputs.nr; i++) {
		source_deinit(&sources[i]);
		recording_names_deinit(&inputs.names[i]);
	}
	for (size_t i = 0; i < inputs.nr_folded; i++)
		close(inputs.folded[i].fd);
	return ret;
}

static const struct option_spec html_rows[] = {
	OPTION_OUTPUT_ROW(
		struct html_options, "FILE",
		"write the page to FILE, or to standard output if it is - (default RECORDING.html)"),
	OPTION_FLAG_ROW(struct html_options, folded, "folded", 0,
			.help = "read folded stacks, as profrep -f and databases print them"),
};

static const struct option_table own_options = {html_rows, ARRAY_SIZE(html_rows), "output", NULL};

const struct profrep_command html_command = {
	COMMAND_TEXTS("html", "make a page of flame graphs and tables for a browser",
		      "  profrep html app.prof            # writes app.html\n"
		      "  profrep html --source src/ app.prof  # with the lines of its functions\n"
		      "  profrep html -o both.html before.prof after.prof  # side by side\n"
		      "  profrep html -o all.html @names  # the sum of those in a list\n"
		      "  profrep -f app.prof | profrep html --folded -o app.html -\n"),
	.spec.usage = "[OPTIONS] [FILE|@LIST...]",
	.spec.parts = {{&own_options, 0},
		       OPTION_PART(struct html_options, source_options, dirs),
		       OPTION_PART(struct html_options, lead_options, request.view),
		       OPTION_PART(struct html_options, thread_options, request.span),
		       STACK_OPTION_PARTS(struct html_options)},
	.options_size = sizeof(struct html_options),
	.take_operands = take_html_operands,
	.run = run_html,
};
