// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/printers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "report/model/cgroup_text.h"
#include "report/model/process_layouts.h"

/* A line has at most this many thread names, because a process can have thousands. */
#define THREADS_MAX 8

/* Names and paths are of any length. They are padded to the usual lengths. */
#define NAME_WIDTH    15
#define THREADS_WIDTH 24
#define EXE_WIDTH     40

/* What CGROUP has at least at a terminal. */
#define CGROUP_WIDTH 24

/* A terminal that is narrower than all columns with CGROUP lacks those that tell least. */
#define TABLE_WIDTH                                                                                \
	(10 + 3 * 11 + 2 + NAME_WIDTH + 2 + THREADS_WIDTH + 2 + EXE_WIDTH + 2 + CGROUP_WIDTH)

/* Of the columns that every terminal has. */
#define NARROW_WIDTH (10 + 11 + 8 + 2 + NAME_WIDTH + 2 + 2)

/* Columns of owners are there if some process has one. Widths are those of usual ids and names. */
static const struct {
	enum owner owner;
	const char *title;
	int width;
} owner_columns[] = {
	{OWNER_SERVICE, "SERVICE", 16},
	{OWNER_CONTAINER, "CONTAINER", 12},
	{OWNER_POD, "POD", 36},
	{OWNER_UNIT, "UNIT", 24},
};

#define NR_OWNER_COLUMNS ARRAY_SIZE(owner_columns)

/* The samples of one thread name in one process. */
struct thread_name {
	uint32_t process; /* the first layout of the process in the model */
	uint32_t comm;    /* string */
	uint64_t samples;
};

/* One line of the table: a process. */
struct line {
	uint32_t process;
	uint64_t samples;
	const struct thread_name *threads;
	size_t nr_threads;
};

struct process_table {
	const struct model *model;
	uint32_t event; /* whose rows are counted */
	struct process_layouts layouts;
	VEC(struct thread_name) threads;
	VEC(struct line) lines;
	bool has_column[NR_OWNER_COLUMNS];
};

static int by_identity(const void *a, const void *b, void *ctx)
{
	const struct model *model = ctx;
	const struct model_process *x = &model->processes.data[*(const uint32_t *)a];
	const struct model_process *y = &model->processes.data[*(const uint32_t *)b];

	COMPARE(x->pid, y->pid);
	COMPARE(x->generation, y->generation);
	COMPARE(x->layout, y->layout);
	return 0;
}

static int by_process_and_name(const void *a, const void *b)
{
	const struct thread_name *x = a, *y = b;

	COMPARE(x->process, y->process);
	COMPARE(x->comm, y->comm);
	return 0;
}

static int by_process_and_samples(const void *a, const void *b, void *ctx)
{
	const struct thread_name *x = a, *y = b;
	const struct string_set *strings = ctx;

	COMPARE(x->process, y->process);
	COMPARE(y->samples, x->samples);
	return strcmp(string_set_get(strings, x->comm), string_set_get(strings, y->comm));
}

/* Adds up the samples of each thread name. The most frequent name of a process comes first. */
static int add_up_threads(struct process_table *table)
{
	struct model *model = (struct model *)table->model;
	size_t nr = 0;

	vec_for_each(&model->rows, row) {
		struct thread_name name = {table->layouts.first[row->process], row->comm,
					   row->count};

		if (row->event == table->event && vec_push(&table->threads, name))
			return -ENOMEM;
	}
	if (!table->threads.nr)
		return 0;
	qsort(table->threads.data, table->threads.nr, sizeof(*table->threads.data),
	      by_process_and_name);
	vec_for_each(&table->threads, name) {
		struct thread_name *last = nr ? &table->threads.data[nr - 1] : NULL;

		if (last && !by_process_and_name(last, name))
			last->samples += name->samples;
		else
			table->threads.data[nr++] = *name;
	}
	table->threads.nr = nr;
	qsort_r(table->threads.data, nr, sizeof(*table->threads.data), by_process_and_samples,
		&model->strings);
	return 0;
}

static int by_samples(const void *a, const void *b, void *ctx)
{
	const struct line *x = a, *y = b;

	COMPARE(y->samples, x->samples);
	return by_identity(&x->process, &y->process, ctx);
}

static int make_lines(struct process_table *table)
{
	vec_for_each(&table->threads, name) {
		struct line *last =
			table->lines.nr ? &table->lines.data[table->lines.nr - 1] : NULL;
		struct line line = {name->process, name->samples, name, 1};

		if (last && last->process == name->process) {
			last->samples += name->samples;
			last->nr_threads++;
		} else if (vec_push(&table->lines, line)) {
			return -ENOMEM;
		}
	}
	if (table->lines.nr)
		qsort_r(table->lines.data, table->lines.nr, sizeof(*table->lines.data), by_samples,
			(void *)table->model);
	return 0;
}

static void print_number(struct textbuf *out, int width, uint32_t n, uint32_t unknown)
{
	if (n == unknown)
		textbuf_printf(out, " %*s", width, "-");
	else
		textbuf_printf(out, " %*" PRIu32, width, n);
}

/* Prints a column, of which a terminal shows @width characters. */
static int print_padded(const struct terminal *terminal, struct textbuf *out, const char *s,
			int width, enum text_cut cut)
{
	_cleanup_free_ char *text = text_escape(s, strlen(s), TEXT_PLAIN);

	if (!text)
		return -ENOMEM;
	textbuf_str(out, "  ");
	terminal_print_column(terminal, out, text[0] ? text : "-", width, cut);
	return 0;
}

static int print_threads(const struct process_table *table, const struct line *line,
			 const struct terminal *terminal, struct textbuf *out)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int ret;

	if (!f)
		return -ENOMEM;
	for (size_t i = 0; i < line->nr_threads && i < THREADS_MAX; i++)
		fprintf(f, "%s%s", i ? "," : "",
			string_set_get(&table->model->strings, line->threads[i].comm));
	if (line->nr_threads > THREADS_MAX)
		fprintf(f, ",... (%zu)", line->nr_threads);
	ret = ferror(f) ? -ENOMEM : 0;
	if (fclose(f) || ret)
		return -ENOMEM;
	return print_padded(terminal, out, text, THREADS_WIDTH, CUT_END);
}

/* Sets *@text, which the caller frees, to the owner of the @process, "" if it has none. */
static int owner_text(const struct process_table *table, const struct model_process *process,
		      enum owner owner, char **text)
{
	struct textbuf out = {.fd = -1};

	/* Each process has a service, which NAME and the other columns tell if it says none. */
	if (owner == OWNER_SERVICE)
		textbuf_str(&out,
			    model_process_attribute(table->model, process, PROF_ATTRIBUTE_SERVICE));
	else
		owner_put(table->model, process, owner, &out);
	textbuf_char(&out, '\0');
	if (out.error)
		textbuf_deinit(&out);
	*text = out.data;
	return out.error;
}

static int find_columns(struct process_table *table)
{
	int ret = 0;

	for (size_t i = 0; i < table->lines.nr && !ret; i++) {
		struct model_process process;

		process_layouts_gather(&table->layouts, table->lines.data[i].process, &process);
		for (size_t c = 0; c < NR_OWNER_COLUMNS && !ret; c++) {
			_cleanup_free_ char *text = NULL;

			ret = owner_text(table, &process, owner_columns[c].owner, &text);
			table->has_column[c] |= !ret && text[0];
		}
	}
	return ret;
}

static int print_owners(const struct process_table *table, const struct model_process *process,
			const struct terminal *terminal, struct textbuf *out)
{
	int ret = 0;

	for (size_t c = 0; c < NR_OWNER_COLUMNS && !ret; c++) {
		_cleanup_free_ char *text = NULL;

		if (!table->has_column[c])
			continue;
		ret = owner_text(table, process, owner_columns[c].owner, &text);
		if (!ret)
			ret = print_padded(terminal, out, text, owner_columns[c].width, CUT_MIDDLE);
	}
	return ret;
}

/* Returns the widths of EXE and CGROUP in a narrow terminal. */
static uint32_t narrow_path_width(const struct terminal *terminal)
{
	return terminal_rest(terminal, NARROW_WIDTH) / 2;
}

static int print_paths(const struct terminal *terminal, struct textbuf *out, const char *exe,
		       const char *cgroup)
{
	uint32_t width = narrow_path_width(terminal);
	_cleanup_free_ char *first = text_escape(exe, strlen(exe), TEXT_PLAIN);
	_cleanup_free_ char *last = text_escape(cgroup, strlen(cgroup), TEXT_PLAIN);

	if (!first || !last)
		return -ENOMEM;
	textbuf_str(out, "  ");
	terminal_print_column(terminal, out, first[0] ? first : "-", width, CUT_START);
	textbuf_str(out, "  ");
	terminal_print(terminal, out, last[0] ? last : "-",
		       terminal_rest(terminal, NARROW_WIDTH + width), CUT_START, COLOUR_NONE);
	return 0;
}

static int print_narrow_line(const struct process_table *table, const struct line *line,
			     const struct terminal *terminal, struct textbuf *out)
{
	const struct string_set *strings = &table->model->strings;
	struct model_process process;
	int ret;

	process_layouts_gather(&table->layouts, line->process, &process);
	textbuf_printf(out, "%10" PRIu64, line->samples);
	print_number(out, 10, process.pid, UINT32_MAX);
	print_number(out, 7, process.info.uid, PROF_UID_UNKNOWN);
	ret = print_padded(terminal, out, string_set_get(strings, process.info.name), NAME_WIDTH,
			   CUT_END);
	if (!ret)
		ret = print_paths(terminal, out, string_set_get(strings, process.info.exe),
				  string_set_get(strings, process.info.cgroup));
	textbuf_char(out, '\n');
	return ret;
}

/* Returns the characters of a line before CGROUP. */
static uint32_t width_before_cgroup(const struct process_table *table)
{
	uint32_t width = TABLE_WIDTH - CGROUP_WIDTH;

	for (size_t c = 0; c < NR_OWNER_COLUMNS; c++)
		width += table->has_column[c] ? 2 + owner_columns[c].width : 0;
	return width;
}

/* Leaves out columns of owners that do not fit: the path of the cgroup has most of them. */
static void fit_columns(struct process_table *table, const struct terminal *terminal)
{
	for (size_t c = NR_OWNER_COLUMNS; c-- > 0;)
		table->has_column[c] &=
			!terminal_is_narrow(terminal, width_before_cgroup(table) + CGROUP_WIDTH);
}

static int print_line(const struct process_table *table, const struct line *line,
		      const struct terminal *terminal, struct textbuf *out)
{
	const struct string_set *strings = &table->model->strings;
	struct model_process process;
	_cleanup_free_ char *cgroup = NULL;
	int ret;

	process_layouts_gather(&table->layouts, line->process, &process);
	textbuf_printf(out, "%10" PRIu64, line->samples);
	print_number(out, 10, process.pid, UINT32_MAX);
	print_number(out, 10, process.info.ns_pid, 0);
	print_number(out, 10, process.info.uid, PROF_UID_UNKNOWN);
	ret = print_padded(terminal, out, string_set_get(strings, process.info.name), NAME_WIDTH,
			   CUT_END);
	if (!ret)
		ret = print_threads(table, line, terminal, out);
	if (!ret)
		ret = print_padded(terminal, out, string_set_get(strings, process.info.exe),
				   EXE_WIDTH, CUT_START);
	if (!ret)
		ret = print_owners(table, &process, terminal, out);
	if (ret)
		return ret;
	cgroup = text_escape(string_set_get(strings, process.info.cgroup),
			     strlen(string_set_get(strings, process.info.cgroup)), TEXT_PLAIN);
	if (!cgroup)
		return -ENOMEM;
	textbuf_str(out, "  ");
	terminal_print(terminal, out, cgroup[0] ? cgroup : "-",
		       terminal_rest(terminal, width_before_cgroup(table)), CUT_START, COLOUR_NONE);
	textbuf_char(out, '\n');
	return 0;
}

/* Makes the table; call free_table in all cases. */
static int make_table(struct process_table *table, const struct printout *p)
{
	int ret;

	*table = (struct process_table){.model = &p->rec->model, .event = p->view->event};
	ret = process_layouts_init(&table->layouts, table->model);
	if (!ret)
		ret = add_up_threads(table);
	if (!ret)
		ret = make_lines(table);
	return ret ? ret : find_columns(table);
}

static void free_table(struct process_table *table)
{
	process_layouts_deinit(&table->layouts);
	vec_free(&table->threads);
	vec_free(&table->lines);
}

static void put_known(struct json *json, const char *key, uint32_t n, uint32_t unknown)
{
	if (n == unknown)
		json_put_null(json, key);
	else
		json_put_number(json, key, n);
}

static void put_cgroup_part(struct json *json, const char *cgroup, enum cgroup_part part)
{
	struct textbuf text = {.fd = -1};

	cgroup_part_put(cgroup, part, &text);
	textbuf_char(&text, '\0');
	if (text.error)
		textbuf_fail(json->out, text.error);
	else
		json_put_text(json, cgroup_part_words[part], text.data);
	textbuf_deinit(&text);
}

static void print_json(const struct process_table *table, const struct line *line,
		       struct json *json)
{
	const struct string_set *strings = &table->model->strings;
	struct model_process process;

	process_layouts_gather(&table->layouts, line->process, &process);
	json_open(json, NULL, '{');
	json_put_number(json, "count", line->samples);
	json_put_number(json, "pid", process.pid);
	put_known(json, "ns_pid", process.info.ns_pid, 0);
	put_known(json, "uid", process.info.uid, PROF_UID_UNKNOWN);
	json_put_text(json, "name", string_set_get(strings, process.info.name));
	json_open(json, "threads", '[');
	for (size_t i = 0; i < line->nr_threads; i++) {
		json_open(json, NULL, '{');
		json_put_text(json, "name", string_set_get(strings, line->threads[i].comm));
		json_put_number(json, "count", line->threads[i].samples);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_put_text(json, "exe", string_set_get(strings, process.info.exe));
	json_put_text(json, "cgroup", string_set_get(strings, process.info.cgroup));
	for (enum cgroup_part part = 0; part < NR_CGROUP_PARTS; part++)
		put_cgroup_part(json, string_set_get(strings, process.info.cgroup), part);
	json_open(json, "attributes", '{');
	for (enum prof_attribute i = 0; i < PROF_NR_ATTRIBUTES; i++)
		if (process.attributes[i])
			json_put_text(json, prof_attribute_keys[i],
				      model_process_attribute(table->model, &process, i));
	json_close(json, '}');
	json_close(json, '}');
}

int print_processes_json(const struct printout *p, struct json *json, void *ctx)
{
	struct process_table table;
	int ret = make_table(&table, p);

	(void)ctx;
	json_open(json, "items", '[');
	for (size_t i = 0; !ret && i < table.lines.nr; i++)
		print_json(&table, &table.lines.data[i], json);
	json_close(json, ']');
	free_table(&table);
	return ret;
}

static void print_narrow_title(const struct printout *p, const struct terminal *terminal)
{
	textbuf_printf(p->out, "%10s %10s %7s  %-*s  %-*s  CGROUP\n", column_of_counts(p), "PID",
		       "UID", NAME_WIDTH, "NAME", (int)narrow_path_width(terminal), "EXE");
}

static void print_title(const struct process_table *table, const struct printout *p)
{
	textbuf_printf(p->out, "%10s %10s %10s %10s  %-*s  %-*s  %-*s", column_of_counts(p), "PID",
		       "NS-PID", "UID", NAME_WIDTH, "NAME", THREADS_WIDTH, "THREADS", EXE_WIDTH,
		       "EXE");
	for (size_t c = 0; c < NR_OWNER_COLUMNS; c++)
		if (table->has_column[c])
			textbuf_printf(p->out, "  %-*s", owner_columns[c].width,
				       owner_columns[c].title);
	textbuf_str(p->out, "  CGROUP\n");
}

int print_processes(const struct printout *p, const struct terminal *terminal)
{
	bool is_narrow = terminal_is_narrow(terminal, TABLE_WIDTH);
	struct process_table table;
	int ret = make_table(&table, p);

	fit_columns(&table, terminal);
	if (!ret && is_narrow)
		print_narrow_title(p, terminal);
	else if (!ret)
		print_title(&table, p);
	for (size_t i = 0; !ret && i < table.lines.nr; i++) {
		const struct line *line = &table.lines.data[i];

		ret = is_narrow ? print_narrow_line(&table, line, terminal, p->out)
				: print_line(&table, line, terminal, p->out);
	}
	free_table(&table);
	return ret;
}
