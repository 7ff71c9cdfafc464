// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/print_top.h"

#include <inttypes.h>
#include <string.h>

#include "report/model/cpu_time.h"
#include "report/print/printers.h"

/*
 * Characters of a name that a column must leave. Shares are always there. Modules tell functions of
 * one name apart, so they may leave less.
 */
#define NAME_WIDTH         34
#define NAME_BESIDE_MODULE 19

/* The same for cgroups, containers and the like, whose names are longer than those of functions. */
#define OWNER_WIDTH 50

/* Narrowest terminal with the processes of each function. */
#define WIDTH_OF_PROCESSES 80

#define BAR_WIDTH     16
#define MODULE_WIDTH  16
#define PROCESS_WIDTH 16

static double share_of(uint64_t count, uint64_t sum)
{
	return sum ? (double)count / sum : 0;
}

static void print_bar(struct textbuf *out, double self, double total)
{
	char bar[BAR_WIDTH + 1];
	int nr_self = self * BAR_WIDTH + 0.5, nr_total = total * BAR_WIDTH + 0.5;

	memset(bar, ' ', BAR_WIDTH);
	bar[BAR_WIDTH] = '\0';
	memset(bar, '-', nr_total);
	memset(bar, '#', nr_self);
	textbuf_printf(out, "  %s", bar);
}

/* The columns of a line are self and total, or a single count. */
struct columns {
	bool has_counts, has_stacks, has_modules, has_bars, has_processes;
	const char *modules; /* title */
	double cpus;         /* CPU seconds per second that a count stands for; 0: none */
};

#define CPUS_WIDTH 7

/* Prints a number so that a small one has digits, too. */
static void print_number(struct textbuf *out, int width, double number)
{
	int decimals = number < 1 ? 3 : number < 100 ? 2 : 0;

	textbuf_printf(out, "%*.*f", width, decimals, number);
}

/* Returns the characters of a line before the name. */
static uint32_t columns_width(const struct columns *columns)
{
	uint32_t share = columns->has_counts ? 21 : 8;
	uint32_t shares = columns->has_counts ? 2 * share + 2 : 2 * share + 1;

	return (columns->cpus > 0 ? CPUS_WIDTH + 1 : 0) + (columns->has_stacks ? shares : share) +
	       (columns->has_bars ? 2 + BAR_WIDTH : 0) + 2 +
	       (columns->has_processes ? PROCESS_WIDTH + 2 : 0) +
	       (columns->has_modules ? MODULE_WIDTH + 2 : 0);
}

/* Takes @column, a member of @columns, if it leaves @rest characters for the name. */
static void add_column(struct columns *columns, bool *column, const struct terminal *terminal,
		       uint32_t rest)
{
	*column = true;
	*column = !terminal_is_narrow(terminal, columns_width(columns) + rest);
}

/* Takes the columns for which there is room, the most important ones first. */
static void add_columns(struct columns *columns, const struct terminal *terminal, bool may_modules)
{
	bool is_of_hits = columns->cpus <= 0 && !columns->has_processes;
	uint32_t rest = columns->has_stacks ? NAME_WIDTH : OWNER_WIDTH;

	/* Hits and times off the CPU are numbers first. */
	if (is_of_hits)
		add_column(columns, &columns->has_counts, terminal, rest);
	if (may_modules)
		add_column(columns, &columns->has_modules, terminal,
			   columns->has_counts || columns->has_processes ? rest
									 : NAME_BESIDE_MODULE);
	if (!is_of_hits)
		add_column(columns, &columns->has_counts, terminal, rest);
	if (columns->has_counts)
		add_column(columns, &columns->has_bars, terminal, rest);
}

static struct columns choose_columns(const struct printout *p, const struct top_layout *layout)
{
	const struct terminal *terminal = &layout->terminal;
	enum top_by by = layout->choice.by;
	bool is_process = by == TOP_PROCESSES || by == TOP_THREADS;
	double seconds = layout->seconds > 0 ? layout->seconds : recording_seconds(p->rec);
	double cpu_seconds = event_cpu_seconds(p->rec->meta, p->view->event);
	struct columns columns = {
		/* A recording of one process has no others to tell apart. */
		.has_processes = layout->choice.has_processes && p->rec->meta->nr_pids != 1 &&
				 !p->rec->meta->nr_tids &&
				 !terminal_is_narrow(terminal, WIDTH_OF_PROCESSES),
		.has_stacks = top_has_stacks(by),
		.modules = is_process ? "RECORDING" : "DSO",
		.cpus = seconds > 0 ? cpu_seconds / seconds : 0,
	};

	add_columns(&columns, terminal,
		    by == TOP_FUNCTIONS || (is_process && p->rec->nr_recordings > 1));
	return columns;
}

static void print_title(const struct printout *p, const struct top_layout *layout,
			const struct columns *columns)
{
	static const char *const titles[NR_TOP_BY] = {
		[TOP_FUNCTIONS] = "FUNCTION", [TOP_FILES] = "DSO",
		[TOP_COMMS] = "THREAD NAME",  [TOP_LABELS] = "LABEL",
		[TOP_PROCESSES] = "PROCESS",  [TOP_THREADS] = "THREAD",
		[TOP_CGROUPS] = "CGROUP",     [TOP_CONTAINERS] = "CONTAINER",
		[TOP_PODS] = "POD",           [TOP_UNITS] = "UNIT",
		[TOP_SERVICES] = "SERVICE",   [TOP_USERS] = "UID",
		[TOP_CPUS] = "CPU",
	};
	struct textbuf line = {.fd = -1};

	if (columns->cpus > 0)
		textbuf_printf(&line, "%*s ", CPUS_WIDTH, "CPUS");
	if (columns->has_stacks && columns->has_counts)
		textbuf_printf(&line, "%12s   SELF %%  %12s  TOTAL %%", "SELF", "TOTAL");
	else if (columns->has_stacks)
		textbuf_str(&line, "  SELF %  TOTAL %");
	else if (columns->has_counts)
		textbuf_printf(&line, "%12s    SHARE",
			       printout_has_unit(p) ? "AMOUNT" : column_of_counts(p));
	else
		textbuf_str(&line, "   SHARE");
	if (columns->has_bars)
		textbuf_printf(&line, "  %-*s", BAR_WIDTH, "");
	if (columns->has_processes)
		textbuf_printf(&line, "  %-*s", PROCESS_WIDTH, "PROCESS");
	if (columns->has_modules)
		textbuf_printf(&line, "  %-*s", MODULE_WIDTH, columns->modules);
	textbuf_printf(&line, "  %s", titles[layout->choice.by]);
	textbuf_char(&line, '\0');
	if (line.error)
		textbuf_fail(p->out, line.error);
	else
		terminal_print(&layout->terminal, p->out, line.data, layout->terminal.width,
			       CUT_END, COLOUR_TITLE);
	textbuf_char(p->out, '\n');
	textbuf_deinit(&line);
}

static void print_share(const struct top_counts *counts, const struct columns *columns,
			uint64_t count)
{
	const struct printout *p = counts->things.from;
	char text[AMOUNT_SIZE];

	if (columns->has_counts)
		textbuf_printf(p->out, "%12s", printout_amount(p, count, text));
	textbuf_printf(p->out, "%*.2f %%", columns->has_counts ? 7 : 6,
		       100 * share_of(count, counts->sum));
}

/* Are the things named by paths, of which the last part tells most? */
static bool is_path(enum top_by by)
{
	return by == TOP_FILES || by == TOP_CGROUPS;
}

/* Prints the process with most of @item's samples, and how many others there are: "17 make +3". */
static void print_process(const struct top_counts *counts, const struct terminal *terminal,
			  const struct top_count *item)
{
	struct textbuf *out = counts->things.from->out, name = {.fd = -1};
	char others[16] = "";

	if (item->nr_processes > 1)
		snprintf(others, sizeof(others), " +%" PRIu32, item->nr_processes - 1);
	top_counts_put_process(counts, item->process, &name);
	textbuf_char(&name, '\0');
	if (name.error)
		textbuf_fail(out, name.error);
	else
		terminal_print_column(terminal, out, name.data, PROCESS_WIDTH - strlen(others),
				      CUT_END);
	textbuf_str(out, others);
	textbuf_deinit(&name);
}

static void print_item(const struct top_counts *counts, const struct top_layout *layout,
		       const struct columns *columns, const struct top_count *item)
{
	struct textbuf *out = counts->things.from->out;
	const struct terminal *terminal = &layout->terminal;
	uint32_t used = columns_width(columns);
	size_t begin = out->nr;

	if (columns->cpus > 0) {
		print_number(out, CPUS_WIDTH, item->self * columns->cpus);
		textbuf_char(out, ' ');
	}
	if (columns->has_stacks) {
		print_share(counts, columns, item->self);
		textbuf_str(out, columns->has_counts ? "  " : " ");
	}
	print_share(counts, columns, item->total);
	if (columns->has_bars)
		print_bar(out, share_of(item->self, counts->sum),
			  share_of(item->total, counts->sum));
	textbuf_str(out, "  ");
	if (columns->has_processes) {
		print_process(counts, terminal, item);
		textbuf_str(out, "  ");
	}
	if (columns->has_modules) {
		terminal_print_column(terminal, out,
				      named_thing_shown_module(&counts->things, item->thing),
				      MODULE_WIDTH, CUT_MIDDLE);
		textbuf_str(out, "  ");
	}
	if (layout->screen)
		live_screen_note(layout->screen, item, begin, out->nr,
				 named_thing_name(&counts->things, item->thing));
	terminal_print(terminal, out, named_thing_name(&counts->things, item->thing),
		       terminal_rest(terminal, used),
		       is_path(layout->choice.by) ? CUT_START : CUT_MIDDLE,
		       counts->things.colours.data[item->thing]);
	textbuf_char(out, '\n');
}

/*
 * Says how many CPUs were busy, and how much of that is in the table, as far as the recording
 * knows.
 */
static void print_busy(const struct top_counts *counts, const struct top_layout *layout,
		       double cpus)
{
	const struct printout *p = counts->things.from;
	const struct recording *rec = p->rec;
	double seconds = layout->seconds > 0 ? layout->seconds : recording_seconds(rec), busy;
	double shown = counts->sum * cpus;
	bool is_known = recording_busy_seconds(rec, p->view->event, layout->is_filtered, &busy);

	if (cpus <= 0 || rec->nr_recordings > 1 || !rec->meta->nr_cpus)
		return;
	print_number(p->out, 0, is_known ? busy / seconds : shown);
	textbuf_printf(p->out, " of %" PRIu32 " CPUs busy%s", rec->meta->nr_cpus,
		       is_known ? "" : " with what is shown");
	if (is_known && !rec->meta->include_idle && shown < 0.995 * busy / seconds) {
		textbuf_str(p->out, ", ");
		print_number(p->out, 0, shown);
		textbuf_str(p->out, " of them with what is shown");
	}
	textbuf_char(p->out, '\n');
}

/* Says how often what is counted happened. */
static void print_hits(const struct top_counts *counts, const struct top_layout *layout)
{
	const struct printout *p = counts->things.from;
	double seconds = layout->seconds > 0 ? layout->seconds : recording_seconds(p->rec);

	if (!has_hits(p) || printout_has_unit(p) || seconds <= 0 || p->rec->nr_recordings > 1)
		return;
	textbuf_printf(p->out, "%" PRIu64 " %s in ", counts->sum,
		       event_unit(p->rec->meta, p->view->event));
	print_number(p->out, 0, seconds);
	textbuf_str(p->out, " s, ");
	print_number(p->out, 0, counts->sum / seconds);
	textbuf_str(p->out, " a second\n");
}

/* Says how threads are told apart where the recording does not. */
static void note_threads(const struct printout *p, const struct top_layout *layout)
{
	if (layout->choice.by != TOP_THREADS)
		return;
	vec_for_each(&p->rec->model.rows, row)
		if (row->tid)
			return;
	textbuf_str(p->out, "A row has all threads of a name in a process; "
			    "profrec --threads tells them apart.\n");
}

static void print_counts(const struct printout *p, const struct top_layout *layout,
			 const struct top_counts *counts)
{
	const struct columns columns = choose_columns(p, layout);

	print_busy(counts, layout, columns.cpus);
	print_hits(counts, layout);
	if (counts->has_own_leaves)
		textbuf_str(p->out, "SELF is that of the first function of own code; "
				    "--leaf exact counts leaves.\n");
	printout_note_frames(p);
	note_threads(p, layout);
	if (!layout->is_live)
		textbuf_char(p->out, '\n');
	print_title(p, layout, &columns);
	for (size_t i = 0; i < counts->items.nr && i < layout->nr_lines; i++)
		if (counts->items.data[i].total)
			print_item(counts, layout, &columns, &counts->items.data[i]);
}

int print_top(const struct printout *p, const struct top_layout *layout,
	      struct rows_summary *summary)
{
	struct top_counts counts;
	int ret = top_counts_make(&counts, p, &layout->choice, summary);

	if (!ret)
		print_counts(p, layout, &counts);
	if (!ret && layout->sum)
		ret = top_counts_add(layout->sum, &counts);
	top_counts_deinit(&counts);
	return ret;
}

void print_top_sum(const struct printout *p, const struct top_layout *layout,
		   struct top_counts *sum)
{
	top_counts_end_sum(sum, p);
	print_counts(p, layout, sum);
}

static void put_item(struct json *json, const struct top_counts *counts, double cpus,
		     const struct top_count *item)
{
	json_open(json, NULL, '{');
	json_put_printed(json, "name", named_thing_name(&counts->things, item->thing));
	json_put_printed(json, "module", named_thing_module(&counts->things, item->thing));
	json_put_number(json, "self", item->self);
	json_put_number(json, "total", item->total);
	if (cpus > 0)
		json_put_double(json, "cpus", item->self * cpus);
	json_close(json, '}');
}

int print_top_json(const struct printout *p, const struct top_layout *layout, struct json *json,
		   struct rows_summary *summary)
{
	const struct columns columns = choose_columns(p, layout);
	double seconds = recording_seconds(p->rec), busy;
	struct top_counts counts;
	int ret = top_counts_make(&counts, p, &layout->choice, summary);

	json_put_double(json, "seconds", seconds);
	json_put_number(json, "nr_cpus", p->rec->meta->nr_cpus);
	if (recording_busy_seconds(p->rec, p->view->event, layout->is_filtered, &busy))
		json_put_double(json, "busy_cpus", busy / seconds);
	else
		json_put_null(json, "busy_cpus");
	json_put_bool(json, "own_leaves", counts.has_own_leaves);
	json_put_text(json, "frames", shown_frames_words[p->view->frames]);
	json_put_number(json, "sum", counts.sum);
	json_open(json, "items", '[');
	for (size_t i = 0; !ret && i < counts.items.nr && i < layout->nr_lines; i++)
		if (counts.items.data[i].total)
			put_item(json, &counts, columns.cpus, &counts.items.data[i]);
	json_close(json, ']');
	top_counts_deinit(&counts);
	return ret;
}
