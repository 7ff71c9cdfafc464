// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep export: the rows of an event in the formats of other tools. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "report/commands/commands.h"
#include "report/write/output_file.h"
#include "report/commands/recording_names.h"
#include "report/commands/shared_options.h"
#include "report/compare/compared_sources.h"
#include "report/export/exporters.h"

struct export_options {
	struct source_request request;
	const char *output, *base;
	struct otlp_choice otlp;
	const struct export_format *format;
	struct operands operands;
};

/* The recordings to export, and those to subtract. */
struct export_sources {
	struct source sources[2];
	size_t nr;
};

struct export_format {
	const char *name;
	bool is_binary;
	bool is_text;    /* of lines, in which names are escaped */
	bool has_base;   /* --base may be given */
	bool has_events; /* it takes several events */
	bool has_times;  /* of its samples */
	bool has_tids;   /* always */
	bool has_labels; /* of requests */
	int (*print)(const struct export_options *o, struct export_sources *s, struct textbuf *out,
		     struct rows_summary *summary);
};

static int print_pprof(const struct export_options *o, struct export_sources *s,
		       struct textbuf *out, struct rows_summary *summary)
{
	const struct printout p = source_printout(&s->sources[0], out);
	const struct printout base = source_printout(&s->sources[1], out);

	(void)o;
	/* The format keeps lines apart from names. */
	for (size_t i = 0; i < s->nr; i++)
		s->sources[i].view.lines = false;
	return export_pprof(&p, s->nr > 1 ? &base : NULL, summary);
}

static int print_speedscope(const struct export_options *o, struct export_sources *s,
			    struct textbuf *out, struct rows_summary *summary)
{
	const struct printout p = source_printout(&s->sources[0], out);

	(void)o;
	return export_speedscope(&p, summary);
}

static int print_perf_script(const struct export_options *o, struct export_sources *s,
			     struct textbuf *out, struct rows_summary *summary)
{
	const struct printout p = source_printout(&s->sources[0], out);

	(void)o;
	return export_perf_script(&p, summary);
}

static int print_folded_rows(const struct export_options *o, struct export_sources *s,
			     struct textbuf *out, struct rows_summary *summary)
{
	const struct printout p = source_printout(&s->sources[0], out);

	(void)o;
	return print_folded(&p, summary);
}

static int print_otlp(const struct export_options *o, struct export_sources *s, struct textbuf *out,
		      struct rows_summary *summary)
{
	/* The format keeps lines apart from names. */
	s->sources[0].view.lines = false;
	return export_otlp(&s->sources[0], out, &o->otlp, summary);
}

static const struct export_format formats[] = {
	{"pprof", .is_binary = true, .has_base = true, .has_labels = true, .print = print_pprof},
	{"otlp", .is_binary = true, .has_events = true, .has_labels = true, .print = print_otlp},
	{"speedscope", .has_times = true, .print = print_speedscope},
	{"perf-script", .is_text = true, .has_times = true, .has_tids = true,
	 .print = print_perf_script},
	{"folded", .is_text = true, .print = print_folded_rows},
};

static const struct export_format *find_format(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

static const char *format_name(size_t i)
{
	return i < ARRAY_SIZE(formats) ? formats[i].name : NULL;
}

static int take_export_operands(void *options, int nr, char **operands, struct err *err)
{
	struct export_options *o = options;
	const struct word_list words = {.word = format_name};
	struct view *view = &o->request.view;

	o->format = nr ? find_format(operands[0]) : NULL;
	if (!nr) {
		err_set(err, -EINVAL, "command export: needs a format");
		return err_hint(err, -EINVAL,
				"formats are pprof, otlp, speedscope, perf-script and folded");
	}
	if (!o->format && may_be_recording(operands[0])) {
		err_set(err, -EINVAL, "command export: needs a format before the recordings");
		return err_hint(err, -EINVAL, "'profrep export pprof -o NAME.pb.gz %s'",
				operands[0]);
	}
	if (!o->format)
		return word_list_refuse(&words, "unknown format", operands[0], err);
	if (o->base && !o->format->has_base)
		return err_set(err, -EINVAL, "option --base: only pprof has it");
	if ((o->otlp.is_json || o->otlp.has_times) && o->format->print != print_otlp)
		return err_set(err, -EINVAL, "option --%s: only otlp has it",
			       o->otlp.is_json ? "json" : "timestamps");
	o->operands = (struct operands){operands + 1, nr - 1};
	o->request.span.keeps_slots = o->format->has_times || o->otlp.has_times;
	o->request.span.keeps_tids |= o->format->has_tids;
	o->request.span.keeps_labels = o->format->has_labels && !view->by_label;
	view->folded = o->format->print == print_folded_rows;
	view->is_data = !o->format->is_text;
	if (view->unnamed == UNNAMED_BY_LAYOUT)
		view->unnamed = UNNAMED_FUNCTION;
	return 0;
}

static int check_output(const struct export_options *o, struct err *err)
{
	if (!o->format->is_binary || o->otlp.is_json ||
	    (o->output && strcmp(o->output, "-") != 0) || !isatty(STDOUT_FILENO))
		return 0;
	err_set(err, -EINVAL, "failed to write %s: standard output is a terminal", o->format->name);
	return err_hint(err, -EINVAL, "-o FILE names a file");
}

/* The recordings of an export, and all files that are read for them. */
struct export_inputs {
	struct recording_names names;
	struct source_files files[2];
};

static int name_inputs(const struct export_options *o, struct export_inputs *inputs,
		       struct err *err)
{
	struct recording_names *names = &inputs->names;
	int ret = recording_names_make(names, o->operands.names, o->operands.nr, err);

	inputs->files[0] = (struct source_files){names->inputs.data, names->inputs.nr};
	inputs->files[1] = (struct source_files){&o->base, o->base ? 1 : 0};
	return ret;
}

/* Reads what is to be exported, one event of each, in one unit. */
static int load_sources(const struct export_options *o, const struct recording_names *names,
			struct export_sources *s, struct err *err)
{
	int ret = source_load(&s->sources[0], names->names.data, names->names.nr, &o->request, err);

	s->nr = o->base ? 2 : 1;
	if (!ret && o->base)
		ret = source_load(&s->sources[1], &o->base, 1, &o->request, err);
	if (!ret && !o->format->has_events)
		ret = compared_sources_check(s->sources, s->nr, err);
	return ret ? ret : compared_sources_check_rates(s->sources, s->nr, err);
}

static int print_sources(const struct export_options *o, struct export_sources *s,
			 const struct output_request *request, struct command_io *io,
			 struct err *err)
{
	struct rows_summary summary = {0};
	struct output_file file;
	int ret = output_file_open(&file, request, &io->out, err);

	if (ret)
		return ret;
	ret = o->format->print(o, s, file.out, &summary);
	ret = print_error_set(ret, s->sources[0].rec.name, err);
	ret = output_file_close(&file, ret, err);
	return ret ? ret : command_io_finish(io, s->sources, s->nr, &summary, err);
}

static int run_export(const void *options, struct command_io *io, struct err *err)
{
	const struct export_options *o = options;
	struct export_inputs inputs = {0};
	const struct output_request request = {o->output, inputs.files, ARRAY_SIZE(inputs.files)};
	struct export_sources s = {0};
	int ret = check_output(o, err);

	if (!ret)
		ret = name_inputs(o, &inputs, err);
	if (!ret)
		ret = output_file_check(&request, err);
	if (!ret)
		ret = load_sources(o, &inputs.names, &s, err);
	if (!ret)
		ret = print_sources(o, &s, &request, io, err);
	for (size_t i = 0; i < s.nr; i++)
		source_deinit(&s.sources[i]);
	recording_names_deinit(&inputs.names);
	return ret;
}

static const struct option_spec export_rows[] = {
	OPTION_OUTPUT_ROW(struct export_options, "FILE", "write to FILE (default standard output)"),
	{
		.name = "base",
		.type = OPTION_STRING,
		.offset = offsetof(struct export_options, base),
		.metavar = "BEFORE",
		.help = "with pprof, subtract this recording, for a difference in pprof",
	},
	{
		.name = "json",
		.type = OPTION_FLAG,
		.offset = offsetof(struct export_options, otlp.is_json),
		.help = "with otlp, write OTLP's JSON instead of its protobuf",
	},
	{
		.name = "timestamps",
		.type = OPTION_FLAG,
		.offset = offsetof(struct export_options, otlp.has_times),
		.help = "with otlp, keep samples apart by slices of time",
	},
};

static const struct option_table own_options = {export_rows, ARRAY_SIZE(export_rows), "output",
						NULL};

const struct profrep_command export_command = {
	COMMAND_TEXTS(
		"export", "write stacks as pprof, OTLP, speedscope, perf-script or folded",
		"  profrep export pprof -o app.pb.gz app.prof  # go tool pprof -http : app.pb.gz\n"
		"  profrep export speedscope -o app.speedscope.json app.prof\n"
		"  profrep export otlp -o app.otlp app.prof  # for OpenTelemetry's receivers\n"
		"  profrep export perf-script -o app.perf app.prof  # for Firefox Profiler\n"
		"  profrep export pprof --base before.prof -o diff.pb.gz after.prof\n"),
	.spec.usage = "[OPTIONS] FORMAT [FILE|@LIST...]",
	.spec.first_words.word = format_name,
	.spec.parts = {{&own_options, 0},
		       OPTION_PART(struct export_options, lead_options, request.view),
		       OPTION_PART(struct export_options, thread_options, request.span),
		       STACK_OPTION_PARTS(struct export_options)},
	.options_size = sizeof(struct export_options),
	.take_operands = take_export_operands,
	.run = run_export,
};
