// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/terminal/print_top.h"

#include <inttypes.h>
#include <string.h>

#include "report/model/cpu_time.h"
#include "report/print/printers.h"

/* Counts and bars take room that a narrow terminal lacks. Shares do not. */
#define WIDTH_OF_COUNTS 100
#define WIDTH_OF_BARS   100

#define BAR_WIDTH    16
#define MODULE_WIDTH 16

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
	bool has_counts, has_stacks, has_modules, has_bars;
	const char *modules; /* title */
	double cpus;         /* CPU seconds per second that a count stands for; 0: none */
};

#define CPUS_WIDTH 7

/* Prints CPU seconds per second so that a small number has digits, too. */
static void print_cpus(struct textbuf *out, int width, double cpus)
{
	int decimals = cpus < 1 ? 3 : cpus < 100 ? 2 : 0;

	textbuf_printf(out, "%*.*f", width, decimals, cpus);
}

static struct columns choose_columns(const struct printout *p, const struct top_layout *layout)
{
	const struct terminal *terminal = &layout->terminal;
	enum top_by by = layout->choice.by;
	bool is_process = by == TOP_PROCESSES || by == TOP_THREADS;
	double seconds = layout->seconds > 0 ? layout->seconds : recording_seconds(p->rec);

	return (struct columns){
		.has_counts = !terminal->width || terminal->width >= WIDTH_OF_COUNTS,
		.has_bars = !terminal->width || terminal->width >= WIDTH_OF_BARS,
		.has_stacks = top_has_stacks(by),
		.has_modules = by == TOP_FUNCTIONS || (is_process && p->rec->nr_recordings > 1),
		.modules = is_process ? "RECORDING" : "MODULE",
		.cpus = seconds > 0 ? event_cpu_seconds(p->rec->meta, p->view->event) / seconds : 0,
	};
}

static void print_title(const struct printout *p, const struct top_layout *layout,
			const struct columns *columns)
{
	static const char *const titles[NR_TOP_BY] = {
		[TOP_FUNCTIONS] = "FUNCTION",
		[TOP_FILES] = "FILE",
		[TOP_COMMS] = "THREAD NAME",
		[TOP_PROCESSES] = "PROCESS",
		[TOP_THREADS] = "THREAD",
		[TOP_CGROUPS] = "CGROUP",
		[TOP_CONTAINERS] = "CONTAINER",
		[TOP_PODS] = "POD",
		[TOP_UNITS] = "UNIT",
		[TOP_USERS] = "UID",
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
	if (columns->has_modules)
		textbuf_printf(&line, "  %-*s", MODULE_WIDTH, columns->modules);
	textbuf_printf(&line, "  %s", titles[layout->choice.by]);
	textbuf_char(&line, '\0');
	if (line.error)
		textbuf_fail(p->out, line.error);
	else
		terminal_print(&layout->terminal, p->out, line.data, layout->terminal.width,
			       COLOUR_TITLE);
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

/* Returns the characters of a line before the name. */
static uint32_t columns_width(const struct columns *columns)
{
	uint32_t share = columns->has_counts ? 21 : 8;
	uint32_t shares = columns->has_counts ? 2 * share + 2 : 2 * share + 1;

	return (columns->cpus > 0 ? CPUS_WIDTH + 1 : 0) + (columns->has_stacks ? shares : share) +
	       (columns->has_bars ? 2 + BAR_WIDTH : 0) + 2 +
	       (columns->has_modules ? MODULE_WIDTH + 2 : 0);
}

static void print_item(const struct top_counts *counts, const struct top_layout *layout,
		       const struct columns *columns, const struct top_count *item)
{
	struct textbuf *out = counts->things.from->out;
	const struct terminal *terminal = &layout->terminal;
	uint32_t used = columns_width(columns);

	if (columns->cpus > 0) {
		print_cpus(out, CPUS_WIDTH, item->self * columns->cpus);
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
	if (columns->has_modules) {
		uint32_t nr = terminal_print(terminal, out,
					     named_thing_module(&counts->things, item->thing),
					     terminal->width ? MODULE_WIDTH : 0, COLOUR_NONE);

		textbuf_printf(out, "%*s  ", nr < MODULE_WIDTH ? (int)(MODULE_WIDTH - nr) : 0, "");
	}
	terminal_print(terminal, out, named_thing_name(&counts->things, item->thing),
		       terminal_rest(terminal, used), counts->things.colours.data[item->thing]);
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
	print_cpus(p->out, 0, is_known ? busy / seconds : shown);
	textbuf_printf(p->out, " of %" PRIu32 " CPUs busy%s", rec->meta->nr_cpus,
		       is_known ? "" : " with what is shown");
	if (is_known && !rec->meta->include_idle && shown < 0.995 * busy / seconds) {
		textbuf_str(p->out, ", ");
		print_cpus(p->out, 0, shown);
		textbuf_str(p->out, " of them with what is shown");
	}
	textbuf_char(p->out, '\n');
}

int print_top(const struct printout *p, const struct top_layout *layout,
	      struct rows_summary *summary)
{
	const struct columns columns = choose_columns(p, layout);
	struct top_counts counts;
	int ret = top_counts_make(&counts, p, &layout->choice, summary);

	if (!ret) {
		print_busy(&counts, layout, columns.cpus);
		if (counts.has_own_leaves)
			textbuf_str(p->out, "SELF is that of the first function of own code; "
					    "--leaf exact counts leaves.\n");
		if (!layout->is_live)
			textbuf_char(p->out, '\n');
		print_title(p, layout, &columns);
		for (size_t i = 0; i < counts.items.nr && i < layout->nr_lines; i++)
			if (counts.items.data[i].total)
				print_item(&counts, layout, &columns, &counts.items.data[i]);
	}
	top_counts_deinit(&counts);
	return ret;
}

static void put_item(struct json *json, const struct top_counts *counts, double cpus,
		     const struct top_count *item)
{
	json_open(json, NULL, '{');
	json_put_safe(json, "name", named_thing_name(&counts->things, item->thing));
	json_put_safe(json, "module", named_thing_module(&counts->things, item->thing));
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
	json_put_number(json, "sum", counts.sum);
	json_open(json, "items", '[');
	for (size_t i = 0; !ret && i < counts.items.nr && i < layout->nr_lines; i++)
		if (counts.items.data[i].total)
			put_item(json, &counts, columns.cpus, &counts.items.data[i]);
	json_close(json, ']');
	top_counts_deinit(&counts);
	return ret;
}
