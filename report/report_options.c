// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/report_options.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"

#define DEFAULT_FILE "profrec.prof"

/* Groups of options that exclude each other. */
enum { SIDES = 1, OUTPUT };

#define FLAG(long_name, short_char, field, ...)                                                    \
	{                                                                                          \
		.name = long_name, .short_name = short_char, .type = OPTION_FLAG,                  \
		.offset = offsetof(struct report_options, field), __VA_ARGS__                      \
	}

static const struct option_spec options[] = {
	FLAG("folded", 'f', view.folded, .help = "print one line per stack, for flame graphs"),
	FLAG("delimited", 'd', view.delimited,
	     .help = "put a delimiter between kernel and user frames"),
	FLAG("annotations", 'a', view.annotations, .help = "add _[k] to kernel frames"),
	FLAG("offsets", 's', view.offsets,
	     .help = "add the offset in the function, +0xOFF, to names"),
	FLAG("modules", 'm', view.modules,
	     .help = "add the file or kernel module, [MODULE], to names"),
	FLAG("addresses", 'v', view.addresses,
	     .help = "print raw addresses before names, not in folded output"),
	FLAG("user-stacks-only", 'U', view.user_only, .exclusive = SIDES,
	     .help = "show user frames only"),
	FLAG("kernel-stacks-only", 'K', view.kernel_only, .exclusive = SIDES,
	     .help = "show kernel frames only"),
	FLAG("diff", 0, diff, .exclusive = OUTPUT,
	     .help = "compare two recordings, BEFORE and AFTER: folded stacks with both counts"),
	FLAG("normalize", 'n', normalize,
	     .help = "with --diff, scale the counts of BEFORE to the sum of AFTER"),
	FLAG("info", 0, info, .exclusive = OUTPUT,
	     .help = "print what is known of the recording: host, event, samples, losses"),
	FLAG("dsos", 0, dsos, .exclusive = OUTPUT,
	     .help = "print the files that were sampled and where their symbols came from"),
	FLAG("processes", 0, processes, .exclusive = OUTPUT,
	     .help = "print the processes that were sampled: user, threads, executable, cgroup"),
	FLAG("timestamp", 'T', timestamp, .exclusive = OUTPUT,
	     .help = "print each interval by itself, below the time at which it ended"),
	{
		.name = "from",
		.type = OPTION_STRING,
		.offset = offsetof(struct report_options, from),
		.metavar = "TIME",
		.help = "report what was sampled from then on: seconds since the start, or HH:MM:SS",
	},
	{
		.name = "to",
		.type = OPTION_STRING,
		.offset = offsetof(struct report_options, to),
		.metavar = "TIME",
		.help = "report what was sampled until then",
	},
	{
		.name = "symfs",
		.type = OPTION_STRING,
		.offset = offsetof(struct report_options, symfs),
		.metavar = "DIR",
		.help = "look for binaries and debug files under DIR first",
	},
};

static const struct program_spec program = {
	.name = "profrep",
	.summary = "report a recording of profrec",
	.usage = "[OPTIONS] [FILE]\n       profrep [OPTIONS] --diff BEFORE AFTER",
	.examples = "  profrep                          # stacks of profrec.prof\n"
		    "  profrep -f app.prof              # folded, for flame graphs\n"
		    "  profrep -s -m app.prof           # with offsets and modules\n"
		    "  profrep --info app.prof          # host, event, samples, losses\n"
		    "  profrep --dsos app.prof          # files, and why symbols are missing\n"
		    "  profrep --processes app.prof     # users, executables, cgroups\n"
		    "  profrep -T -f app.prof           # each interval, with its time\n"
		    "  profrep --from 14:05:00 --to 14:06:30 app.prof\n"
		    "  profrep --symfs root/ app.prof   # with another host's binaries\n"
		    "  profrep --diff -n old.prof new.prof  # two recordings compared\n",
	.options = options,
	.nr_options = ARRAY_SIZE(options),
};

static int usage_error(struct err *err, const char *text)
{
	err_set(err, -EINVAL, "%s", text);
	return err_hint(err, -EINVAL, "'profrep --help' shows the usage");
}

static int check_together(const struct report_options *opts, struct err *err)
{
	if (opts->normalize && !opts->diff)
		return usage_error(err, "option -n/--normalize: only with option --diff");
	if (opts->view.folded && opts->info)
		return usage_error(err, "option -f/--folded: not allowed with option --info");
	if (opts->view.folded && opts->dsos)
		return usage_error(err, "option -f/--folded: not allowed with option --dsos");
	if (opts->view.folded && opts->processes)
		return usage_error(err, "option -f/--folded: not allowed with option --processes");
	return 0;
}

static int parse_time(const char *option, const char *text, struct time_point *point,
		      struct err *err)
{
	if (!text || !time_point_parse(text, point))
		return 0;
	err_set(err, -EINVAL, "option %s: '%s' is not a time", option, text);
	return err_hint(err, -EINVAL,
			"times are seconds since the start, 12.5, or of the day, 14:05:00");
}

static int parse_span(struct report_options *opts, struct err *err)
{
	struct timespan *span = &opts->span;
	int ret = parse_time("--from", opts->from, &span->from, err);

	if (!ret)
		ret = parse_time("--to", opts->to, &span->to, err);
	if (ret)
		return ret;
	if (opts->info && (opts->from || opts->to))
		return usage_error(err, opts->from ? "option --from: not allowed with option --info"
						   : "option --to: not allowed with option --info");
	if (span->from.kind == span->to.kind && opts->to && span->from.ns >= span->to.ns)
		return usage_error(err, "option --to: not later than --from");
	return 0;
}

static int take_operands(struct report_options *opts, int nr, char **operands, struct err *err)
{
	if (opts->diff && nr != 2)
		return usage_error(err, "option --diff: needs two recordings, BEFORE and AFTER");
	if (!opts->diff && nr > 1) {
		err_set(err, -EINVAL, "unexpected operand '%s'", operands[1]);
		return err_hint(err, -EINVAL, "'profrep --help' shows the usage");
	}
	if (opts->diff && !strcmp(operands[0], "-") && !strcmp(operands[1], "-"))
		return usage_error(err, "option --diff: only one recording can be '-'");
	opts->files[0] = nr ? operands[0] : DEFAULT_FILE;
	opts->files[1] = opts->diff ? operands[1] : NULL;
	return 0;
}

int report_options_parse(int argc, char **argv, struct report_options *opts, struct err *err)
{
	int operands;
	int ret;

	*opts = (struct report_options){0};
	ret = options_parse(&program, argc, argv, opts, &operands, err);
	if (ret != OPTIONS_RUN)
		return ret;
	ret = check_together(opts, err);
	if (!ret)
		ret = parse_span(opts, err);
	if (!ret)
		ret = take_operands(opts, argc - operands, argv + operands, err);
	if (ret)
		return ret;
	/* The lines of a diff are folded ones. */
	if (opts->diff)
		opts->view.folded = true;
	return OPTIONS_RUN;
}
