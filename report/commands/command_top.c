// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep top: the most frequent functions, processes, files and so on. */
#include <errno.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "report/commands/commands.h"
#include "report/commands/event_tables.h"
#include "report/commands/shared_options.h"
#include "report/terminal/print_top.h"

#define USUAL_LINES 20

struct top_options {
	struct source_request request;
	struct top_layout layout;
	struct operands operands;
};

/* The samples of CPUs are in the end record, which knows no filters. */
static int check_cpus(const void *ctx, const struct source *source, struct err *err)
{
	const struct top_layout *layout = ctx;
	bool is_filtered = source->rec.is_partial;

	if (layout->by != TOP_CPUS)
		return 0;
	for (enum filter_step step = 0; step < NR_FILTER_STEPS; step++)
		is_filtered |= source->filtered.left[step] > 0;
	if (is_filtered)
		return err_set(err, -EINVAL,
			       "option --by: cpu stands for whole recordings, without filters");
	if (source->rec.end && source->rec.end->nr_cpu_taken && source->events.nr == 1)
		return 0;
	return err_set(err, -ENODATA, "failed to report '%s': it does not tell samples by CPU",
		       source->rec.name);
}

static int print_event(const struct printout *p, void *ctx, struct rows_summary *summary)
{
	return print_top(p, ctx, summary);
}

static int run_top(const void *options, struct command_io *io, struct err *err)
{
	const struct top_options *o = options;
	struct top_layout layout = o->layout;
	const struct event_tables tables = {
		.print = print_event, .check = check_cpus, .ctx = &layout};

	terminal_look(&layout.terminal, STDOUT_FILENO);
	layout.nr_lines = layout.nr_lines ? layout.nr_lines : USUAL_LINES;
	return event_tables_print(&tables, &o->operands, &o->request, io, err);
}

static int parse_by(const char *text, void *target)
{
	static const char *const words[NR_TOP_BY] = {
		[TOP_FUNCTIONS] = "function", [TOP_FILES] = "dso",      [TOP_COMMS] = "comm",
		[TOP_PROCESSES] = "pid",      [TOP_THREADS] = "thread", [TOP_CGROUPS] = "cgroup",
		[TOP_USERS] = "user",         [TOP_CPUS] = "cpu",
	};

	return option_find_word(text, words, ARRAY_SIZE(words), target);
}

#define TOP_ROW(type, ...) OPTION_ROW(struct top_options, type, __VA_ARGS__)

static const struct option_spec top_rows[] = {
	TOP_ROW(OPTION_U64, layout.nr_lines, "lines", 'n', .metavar = "N", .min = 1,
		.max = UINT32_MAX, .help = "print so many lines at most (20)"),
	TOP_ROW(OPTION_PARSED, layout.by, "by", 0, .metavar = "THING",
		.help = "count function, dso, comm, pid, thread, cgroup, user or cpu (function)",
		.parse = parse_by, .kind = "a thing to count",
		.hint = "things are function, dso, comm, pid, thread, cgroup, user and cpu"),
};

static const struct option_table own_options = {top_rows, ARRAY_SIZE(top_rows), NULL};

const struct profrep_command top_command = {
	COMMAND_TEXTS("top", "print the functions, processes or files with most samples",
		      "  profrep top app.prof             # 20 functions\n"
		      "  profrep top -n 50 --comm nginx app.prof\n"
		      "  profrep top --by cgroup app.prof\n"),
	.spec.parts =
		{
			{&own_options, 0},
			{&debug_options, offsetof(struct top_options, request.view)},
			{&name_options, offsetof(struct top_options, request.view)},
			{&side_options, offsetof(struct top_options, request.view)},
			{&event_options, offsetof(struct top_options, request.event)},
			{&timespan_options, offsetof(struct top_options, request.span)},
			{&owner_options, offsetof(struct top_options, request.filter)},
			{&stack_options, offsetof(struct top_options, request.filter)},
			{&search_options, offsetof(struct top_options, request.search)},
		},
	SEVERAL_RECORDINGS(struct top_options),
	.run = run_top,
};
