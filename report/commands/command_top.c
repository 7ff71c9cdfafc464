// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep top: the most frequent functions, processes, files and so on. */
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/parse.h"
#include "report/commands/commands.h"
#include "report/commands/event_tables.h"
#include "report/commands/shared_options.h"
#include "report/print/print_intervals.h"
#include "report/print/print_top.h"

#define USUAL_LINES 20
#define LEAST_LINES 3 /* on a last screen */

struct top_options {
	struct source_request request;
	struct top_layout layout;
	unsigned int by; /* in by_things */
	bool is_live, is_json;
	struct operands operands;
};

/* What the words of --by stand for. */
static const enum top_by by_things[] = {
	TOP_FUNCTIONS,  TOP_FILES, TOP_PROCESSES, TOP_THREADS,  TOP_COMMS, TOP_CGROUPS,
	TOP_CONTAINERS, TOP_PODS,  TOP_UNITS,     TOP_SERVICES, TOP_USERS, TOP_CPUS,
};

static const char *const by_words[] = {
	"function", "dso",  "process", "thread", "comm", "cgroup", "container",
	"pod",      "unit", "service", "user",   "cpu",  NULL,
};

/* Files and processes have several names among profilers. */
static const struct word_alias by_aliases[] = {{"file", 1}, {"module", 1}, {"pid", 2}, {NULL, 0}};

static enum top_by thing_of(const struct top_options *o)
{
	return o->request.view.by_label ? TOP_LABELS : by_things[o->by];
}

/* The files of interpreters are files, too. */
static bool prefers_language(const struct top_choice *choice)
{
	return choice->by == TOP_FUNCTIONS;
}

/* The samples of CPUs are in the end record, which knows no filters. */
static int check_cpus(const void *ctx, const struct source *source, struct err *err)
{
	const struct top_layout *layout = ctx;
	bool is_filtered = source->rec.is_partial;

	if (layout->choice.by != TOP_CPUS)
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

static int print_json(const struct printout *p, struct json *json, void *ctx,
		      struct rows_summary *summary)
{
	return print_top_json(p, ctx, json, summary);
}

/* The table of the latest interval. */
struct live_table {
	struct top_layout layout;
	uint64_t nr_lines; /* that the user wants; 0: as many as the terminal has */
	/* Of all intervals, by event, for the page at the end. */
	VEC(struct top_counts) sums;
	struct top_choice of_sums;
};

/*
 * Lines of a screen that are no rows: the time, the headline, lines about CPUs or leaves and about
 * frames, the title, and the cursor's.
 */
#define OTHER_LINES 6

/* The same of the last screen: of each event, and for losses and warnings. */
#define LINES_OF_EVENT 6
#define LINES_AROUND   6

/* Says that an interval stands for several, since its counts are large. */
static void print_held_up(struct textbuf *out, const struct printed_interval *interval)
{
	textbuf_printf(out, "%.2f s instead of %g s: the recorder was held up\n",
		       interval->ns / (double)NS_PER_S, interval->held_up_for / (double)NS_PER_S);
}

/* Says what the screen waits for. */
static void wait_for_interval(void *ctx, uint64_t length_ns)
{
	const struct live_table *live = ctx;
	char text[160] = "The recording has no intervals, so its table comes when it ends.\n"
			 "'profrec -i 1' writes an interval each second.\n";

	if (!live->layout.screen)
		return;
	if (length_ns)
		snprintf(text, sizeof(text), "Waiting for the first interval, of %g s.\n",
			 length_ns / (double)NS_PER_S);
	live_screen_wait(live->layout.screen, text);
}

static void begin_interval(void *ctx, struct textbuf *out, const struct printed_interval *interval)
{
	struct live_table *live = ctx;
	struct terminal *terminal = &live->layout.terminal;
	struct live_screen *screen = live->layout.screen;
	uint32_t nr_other = OTHER_LINES + (interval->held_up_for > 0);

	/* A user may have changed its size. */
	terminal_look(terminal, STDOUT_FILENO);
	live->layout.nr_lines = live->nr_lines ? live->nr_lines : USUAL_LINES;
	if (!live->nr_lines && terminal->height > nr_other)
		live->layout.nr_lines = terminal->height - nr_other;
	live->layout.seconds = interval->ns / (double)NS_PER_S;
	if (screen) {
		/* A key can ask for any of them. */
		live->layout.nr_lines = UINT64_MAX;
		live_screen_begin(screen, interval->time);
	} else {
		terminal_begin_screen(terminal, out);
		textbuf_printf(out, "%s\n", interval->time);
	}
	if (interval->held_up_for)
		print_held_up(out, interval);
}

/* Sets the sum of the event of @p in the layout. */
static int choose_sum(struct live_table *live, const struct printout *p)
{
	struct top_counts sum;
	int ret = 0;

	while (!ret && live->sums.nr <= p->view->event) {
		ret = top_counts_begin_sum(&sum, p, &live->of_sums);
		if (!ret)
			ret = vec_push(&live->sums, sum);
		if (ret)
			top_counts_deinit(&sum);
	}
	if (!ret)
		live->layout.sum = &live->sums.data[p->view->event];
	return ret;
}

static int print_interval(const struct printout *p, void *ctx, struct rows_summary *summary)
{
	struct live_table *live = ctx;
	struct live_screen *screen = live->layout.screen;
	int ret = screen ? choose_sum(live, p) : 0;

	if (!ret && screen && live->layout.choice.by == TOP_FUNCTIONS)
		ret = live_screen_keep_stacks(screen, p);
	return ret ? ret : print_top(p, &live->layout, summary);
}

static int end_interval(void *ctx)
{
	const struct live_table *live = ctx;

	return live->layout.screen ? live_screen_show(live->layout.screen) : 0;
}

static int print_sum(const struct printout *p, void *ctx)
{
	struct live_table *live = ctx;
	int ret = print_headline(p);

	if (!ret && live->sums.nr > p->view->event)
		print_top_sum(p, &live->layout, &live->sums.data[p->view->event]);
	textbuf_char(p->out, '\n');
	return ret;
}

/* Returns how many rows of each event fit the last screen. */
static uint64_t rows_at_end(const struct top_layout *layout, const struct source *source)
{
	uint32_t height = layout->terminal.height, nr = source->events.nr;
	uint32_t others = LINES_AROUND + nr * LINES_OF_EVENT;
	uint32_t fits = height > others ? (height - others) / nr : 0;

	return fits < LEAST_LINES ? LEAST_LINES : fits < USUAL_LINES ? fits : USUAL_LINES;
}

/* Prints a last screen: what was recorded and lost, and the largest things of all intervals. */
static int print_last_page(struct live_table *live, struct source *source, struct textbuf *out)
{
	const struct prof_end *end = source->rec.end;
	struct top_layout *layout = &live->layout;

	terminal_look(&layout->terminal, STDOUT_FILENO);
	terminal_begin_screen(&layout->terminal, out);
	layout->screen = NULL;
	layout->is_live = layout->choice.has_processes = false;
	layout->seconds = 0;
	layout->nr_lines = live->nr_lines ? live->nr_lines : rows_at_end(layout, source);
	if (end)
		textbuf_printf(out, "%" PRIu64 " %s in %.3g s, %" PRIu64 " lost\n", end->counted,
			       source->rec.meta->nr_events ? "hits" : "samples",
			       end->duration_ns / (double)NS_PER_S, end->taken - end->counted);
	return source_print_events(source, out, print_sum, live);
}

static void live_table_deinit(struct live_table *live)
{
	vec_for_each(&live->sums, sum)
		top_counts_deinit(sum);
	vec_free(&live->sums);
}

static int run_live(const struct top_options *o, struct command_io *io, struct err *err)
{
	_cleanup_(source_deinit) struct source source = {0};
	_cleanup_(live_table_deinit) struct live_table live = {
		.layout = o->layout,
		.nr_lines = o->layout.nr_lines,
	};
	const struct interval_table table = {wait_for_interval, begin_interval, print_interval,
					     end_interval, &live};
	struct source_request request = o->request;
	struct rows_summary summary = {0};
	int ret;

	live.layout.choice.by = thing_of(o);
	request.span.keeps_tids = live.layout.choice.by == TOP_THREADS;
	live.layout.is_live = true;
	live.layout.choice.has_processes = live.layout.choice.by == TOP_FUNCTIONS &&
					   !sample_filter_has(&request.filter, FILTER_PID) &&
					   !sample_filter_has(&request.filter, FILTER_TID);
	live.layout.is_filtered = sample_filter_is_set(&request.filter);
	if (o->operands.nr > 1 || (o->operands.nr && o->operands.names[0][0] == '@'))
		return err_set(err, -EINVAL, "option --live: needs one recording");
	if (live.layout.choice.by == TOP_CPUS)
		return err_set(
			err, -EINVAL,
			"option --live: not with --by cpu, which stands for whole recordings");
	if (request.view.unnamed == UNNAMED_BY_LAYOUT)
		request.view.unnamed = UNNAMED_FUNCTION;
	request.view.prefers_language = prefers_language(&live.layout.choice);
	live.of_sums = live.layout.choice;
	live.of_sums.has_processes = false;
	live.layout.screen = live_screen_open(live.layout.choice.sort);
	if (live.layout.screen)
		live_screen_wait(live.layout.screen, "Waiting for the recording to begin.\n");
	ret = print_intervals(&source, o->operands.nr ? o->operands.names[0] : DEFAULT_RECORDING,
			      &request, &table,
			      live.layout.screen ? live_screen_text(live.layout.screen) : &io->out,
			      &summary, err);
	live_screen_close(live.layout.screen);
	if (!ret && live.layout.screen)
		ret = print_error_set(print_last_page(&live, &source, &io->out), source.rec.name,
				      err);
	return ret ? ret : command_io_finish(io, &source, 1, &summary, err);
}

static int run_top(const void *options, struct command_io *io, struct err *err)
{
	const struct top_options *o = options;
	struct top_layout layout = o->layout;
	struct source_request request = o->request;
	const struct event_tables tables = {
		.print = print_event,
		.print_json = print_json,
		.is_json = o->is_json,
		.check = check_cpus,
		.ctx = &layout,
	};

	if (o->is_live)
		return run_live(o, io, err);
	terminal_look(&layout.terminal, STDOUT_FILENO);
	layout.choice.by = thing_of(o);
	layout.is_filtered = sample_filter_is_set(&o->request.filter);
	layout.nr_lines = layout.nr_lines ? layout.nr_lines : USUAL_LINES;
	request.span.keeps_tids = layout.choice.by == TOP_THREADS;
	request.view.prefers_language = prefers_language(&layout.choice);
	return event_tables_print(&tables, &o->operands, &request, io, err);
}

static int parse_lines(const char *text, void *target)
{
	uint64_t *nr_lines = target;
	int ret = parse_u64(text, 0, UINT32_MAX, nr_lines);

	if (!ret && !*nr_lines)
		*nr_lines = UINT64_MAX;
	return ret;
}

#define TOP_ROW(type, ...) OPTION_ROW(struct top_options, type, __VA_ARGS__)

enum { GROUP_THINGS = 2, GROUP_LAYOUTS };

static const struct option_spec top_rows[] = {
	OPTION_FLAG_ROW(struct top_options, is_live, "live", 0, .exclusive = GROUP_LAYOUTS,
			.help = "draw each interval as it comes, from a stream of profrec -i"),
	OPTION_FLAG_ROW(struct top_options, is_json, "json", 0, .exclusive = GROUP_LAYOUTS,
			.help = "print the table as JSON"),
	TOP_ROW(OPTION_PARSED, layout.nr_lines, "limit", 'n', .metavar = "N", .parse = parse_lines,
		.kind = "a number from 0 to 4294967295",
		.help = "print at most N functions, 0 for all (default 20; with --live as many as fit the terminal)"),
	TOP_ROW(OPTION_CHOICE, by, "by", 0, .metavar = "THING", .exclusive = GROUP_THINGS,
		.help = "count by function, dso (file), process, thread, comm (thread name), cgroup, container, pod, unit (of systemd), service, user or cpu (default function)",
		.words = {.names = by_words, .aliases = by_aliases}),
	TOP_ROW(OPTION_CHOICE, layout.choice.sort, "sort", 0, .metavar = "COLUMN",
		.help = "sort by self, total, cpus or name (default self)",
		.words = OPTION_NAMES([TOP_SORT_SELF] = "self", [TOP_SORT_TOTAL] = "total",
				      [TOP_SORT_CPUS] = "cpus", [TOP_SORT_NAME] = "name")),
	TOP_ROW(OPTION_CHOICE, layout.choice.leaf, "leaf", 0, .metavar = "KIND",
		.help = "SELF is that of the first function of the program's own code (own), or of the leaf of the stack (exact); auto: own for hits and times off the CPU",
		.words = OPTION_NAMES([TOP_LEAF_AUTO] = "auto", [TOP_LEAF_OWN] = "own",
				      [TOP_LEAF_EXACT] = "exact")),
};

static const struct option_table own_options = {top_rows, ARRAY_SIZE(top_rows), "output", NULL};

const struct profrep_command top_command = {
	COMMAND_TEXTS("top", "print the functions, processes or files with most samples",
		      "  profrep top app.prof             # 20 functions\n"
		      "  profrep top -n 50 --comm nginx app.prof\n"
		      "  profrep top --by cgroup app.prof\n"
		      "  profrep top --event off-cpu --sort total app.prof\n"
		      "  profrec -q -o - -i 1 | profrep top --live -  # every second\n"),
	.spec.parts = {{&own_options, 0},
		       OPTION_PART(struct top_options, label_options, request.view),
		       OPTION_PART(struct top_options, unit_options, request.view),
		       STACK_OPTION_PARTS(struct top_options)},
	SEVERAL_RECORDINGS(struct top_options),
	.run = run_top,
};
