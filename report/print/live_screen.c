// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/live_screen.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/vec.h"
#include "report/print/print_tree.h"

#define FILTER_SIZE 64
#define KEYS_SIZE   64
#define PAGE_ROWS   10

#define HELP         "Enter callers, q quit, s sort, / filter, space pause, arrows"
#define CALLERS_HELP "Enter back, q quit, space pause"

#define REVERSE "\033[7m"
#define NORMAL  "\033[0m"

/* Callers with fewer samples of all are left out. */
#define LEAST_PERCENT 0.5

/* A line of the text, without its newline. */
struct live_line {
	size_t begin, name, end; /* the name of a row */
	bool is_row;
	uint64_t self, total;
	size_t full;   /* the whole name, in names */
	uint32_t part; /* number of the stacks */
};

typedef VEC(struct live_line) live_lines;

typedef VEC(struct call_tree) live_stacks;

/* The table of an interval. */
struct live_table {
	struct textbuf text, names;
	live_lines lines;
	live_stacks stacks; /* of each event; none: rows are no functions */
	char time[16];
};

struct live_screen {
	struct live_table next, shown; /* next belongs to the thread that reads the recording */
	pthread_mutex_t lock;          /* of all below, and of what is shown */
	enum top_sort sort;
	char filter[FILTER_SIZE];
	bool is_typing, is_paused;
	uint32_t mark;  /* row, by the order on the screen */
	char *function; /* whose callers are shown; NULL: the table is */
	uint32_t part;  /* the stacks with it */
	pthread_t thread;
	int tty, end[2]; /* closing end[1] ends the thread */
};

/* A signal has no other way to the terminal's usual settings. */
static struct termios usual, keys;
static int tty_of_signal = -1;

static void end_by_signal(int number)
{
	tcsetattr(tty_of_signal, TCSANOW, &usual);
	signal(number, SIG_DFL);
	raise(number);
}

/* After a stop, the shell has set the terminal as it likes. */
static void go_on(int number)
{
	(void)number;
	tcsetattr(tty_of_signal, TCSANOW, &keys);
}

static void set_signals(bool is_on)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCONT};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct sigaction before, action = {.sa_flags = SA_RESTART};
		void (*handler)(int) = numbers[i] == SIGCONT ? go_on : end_by_signal;

		action.sa_handler = is_on ? handler : SIG_DFL;
		if (!sigaction(numbers[i], NULL, &before) &&
		    before.sa_handler == (is_on ? SIG_DFL : handler))
			sigaction(numbers[i], &action, NULL);
	}
}

static void table_forget_stacks(struct live_table *table)
{
	vec_for_each(&table->stacks, tree)
		call_tree_deinit(tree);
	vec_clear(&table->stacks);
}

static void table_deinit(struct live_table *table)
{
	table_forget_stacks(table);
	vec_free(&table->stacks);
	textbuf_deinit(&table->text);
	textbuf_deinit(&table->names);
	vec_free(&table->lines);
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct live_screen *screen = ctx;
	const struct live_line *x = a, *y = b;
	const char *text = screen->shown.text.data;
	size_t nx = x->end - x->name, ny = y->end - y->name;
	int cmp;

	if (screen->sort == TOP_SORT_TOTAL)
		COMPARE(y->total, x->total);
	if (screen->sort != TOP_SORT_NAME) {
		COMPARE(y->self, x->self);
		COMPARE(y->total, x->total);
	}
	cmp = memcmp(text + x->name, text + y->name, nx < ny ? nx : ny);
	if (cmp)
		return cmp;
	COMPARE(nx, ny);
	COMPARE(x->begin, y->begin);
	return 0;
}

/* Returns the number of rows from @line on. */
static size_t nr_rows(const struct live_table *table, size_t line)
{
	size_t nr = 0;

	while (line + nr < table->lines.nr && table->lines.data[line + nr].is_row)
		nr++;
	return nr;
}

static bool passes(const struct live_screen *screen, const struct live_line *row)
{
	_cleanup_free_ char *text =
		strndup(screen->shown.text.data + row->begin, row->end - row->begin);

	return !screen->filter[0] || (text && strcasestr(text, screen->filter));
}

/* Prints a row. A marked one is in reverse; a terminal without colours shows an arrow before it. */
static void print_row(const struct live_screen *screen, const struct terminal *terminal,
		      const struct live_line *row, bool is_marked, struct textbuf *out)
{
	const char *text = screen->shown.text.data;
	size_t begin = row->begin;

	if (is_marked && terminal->has_colours)
		textbuf_str(out, REVERSE);
	else if (is_marked && text[begin] == ' ' && ++begin)
		textbuf_char(out, '>');
	textbuf_bytes(out, text + begin, row->end - begin);
	textbuf_str(out, is_marked && terminal->has_colours ? NORMAL "\n" : "\n");
}

/*
 * Prints @nr rows from @line on that pass, at most @most of them, with the marked one, which is row
 * @mark here. Returns how many pass.
 */
static uint32_t print_rows(const struct live_screen *screen, const struct terminal *terminal,
			   size_t line, size_t nr, size_t most, uint32_t mark, struct textbuf *out)
{
	const struct live_line *rows = &screen->shown.lines.data[line];
	uint32_t nr_passed = 0, first = 0;

	for (size_t i = 0; i < nr; i++)
		nr_passed += passes(screen, &rows[i]);
	if (mark < nr_passed && mark >= most)
		first = mark - most + 1;
	for (uint32_t i = 0, passed = 0; i < nr && passed < first + most; i++) {
		if (!passes(screen, &rows[i]))
			continue;
		if (passed >= first)
			print_row(screen, terminal, &rows[i], passed == mark, out);
		passed++;
	}
	return nr_passed;
}

static void sort_rows(struct live_screen *screen)
{
	live_lines *lines = &screen->shown.lines;

	for (size_t i = 0, nr; i < lines->nr; i += nr ? nr : 1) {
		nr = nr_rows(&screen->shown, i);
		qsort_r(&lines->data[i], nr, sizeof(*lines->data), compare_rows, screen);
	}
}

static void print_status(const struct live_screen *screen, const struct terminal *terminal,
			 struct textbuf *out)
{
	static const char *const orders[] = {
		[TOP_SORT_SELF] = "self",
		[TOP_SORT_TOTAL] = "total",
		[TOP_SORT_CPUS] = "cpus",
		[TOP_SORT_NAME] = "name",
	};
	struct textbuf line = {.fd = -1};

	textbuf_printf(&line, "%s  ", screen->shown.time);
	if (screen->function)
		textbuf_printf(&line, "callers of %s", screen->function);
	else
		textbuf_printf(&line, "by %s", orders[screen->sort]);
	if (!screen->function && (screen->filter[0] || screen->is_typing))
		textbuf_printf(&line, ", filter '%s%s'", screen->filter,
			       screen->is_typing ? "_" : "");
	textbuf_printf(&line, "%s  (%s)", screen->is_paused ? ", PAUSED" : "",
		       screen->function ? CALLERS_HELP : HELP);
	textbuf_char(&line, '\0');
	if (!line.error)
		terminal_print(terminal, out, line.data, terminal->width, CUT_END, COLOUR_NONE);
	textbuf_char(out, '\n');
	textbuf_deinit(&line);
}

/* Prints a line that is no row; colours are in lines that fit alone. */
static void print_other(const struct live_table *table, const struct live_line *line,
			const struct terminal *terminal, struct textbuf *out)
{
	_cleanup_free_ char *text =
		strndup(table->text.data + line->begin, line->end - line->begin);

	if (text)
		terminal_print(terminal, out, text, strchr(text, '\033') ? 0 : terminal->width,
			       CUT_END, COLOUR_NONE);
	textbuf_char(out, '\n');
}

/* Returns the marked row, NULL if there is none. The last one is marked if there are fewer. */
static const struct live_line *find_marked(struct live_screen *screen)
{
	const struct live_line *marked = NULL;
	uint32_t nr = 0;

	vec_for_each(&screen->shown.lines, line) {
		if (line->is_row && passes(screen, line) && nr++ <= screen->mark)
			marked = line;
	}
	if (screen->mark >= nr)
		screen->mark = nr ? nr - 1 : 0;
	return marked;
}

/* Prints the callers of the function as far as they fit. */
static void print_screen_of_callers(struct live_screen *screen, const struct terminal *terminal,
				    struct textbuf *out)
{
	const struct tree_layout layout = {
		.min_percent = LEAST_PERCENT,
		.function = screen->function,
		.terminal = *terminal,
	};
	struct textbuf text = {.fd = -1};
	size_t at = 0;

	if (screen->part < screen->shown.stacks.nr)
		print_callers(&screen->shown.stacks.data[screen->part], &layout, &text);
	for (uint32_t line = 2; line < terminal->height && at < text.nr; line++) {
		const char *end = memchr(text.data + at, '\n', text.nr - at);
		size_t next = end ? (size_t)(end - text.data) + 1 : text.nr;

		textbuf_bytes(out, text.data + at, next - at);
		at = next;
	}
	textbuf_deinit(&text);
}

/* Prints the table, with as many rows of each event as fit. */
static void print_screen_of_rows(struct live_screen *screen, const struct terminal *terminal,
				 struct textbuf *out)
{
	const struct live_table *table = &screen->shown;
	size_t nr_parts = 0, nr_others = 2, most; /* the status, and the cursor's line */
	uint32_t mark = screen->mark;

	for (size_t i = 0; i < table->lines.nr; i++) {
		nr_others += !table->lines.data[i].is_row;
		nr_parts += table->lines.data[i].is_row && (!i || !table->lines.data[i - 1].is_row);
	}
	most = terminal->height > nr_others && nr_parts ? (terminal->height - nr_others) / nr_parts
							: 1;
	for (size_t i = 0; i < table->lines.nr;) {
		size_t nr = nr_rows(table, i);

		if (nr)
			mark -= print_rows(screen, terminal, i, nr, most, mark, out);
		else
			print_other(table, &table->lines.data[i], terminal, out);
		i += nr ? nr : 1;
	}
}

/* Draws what is shown. The lock is held. */
static void draw(struct live_screen *screen)
{
	struct textbuf out = {.fd = STDOUT_FILENO};
	struct terminal terminal;

	terminal_look(&terminal, STDOUT_FILENO);
	sort_rows(screen);
	find_marked(screen);
	terminal_begin_screen(&terminal, &out);
	print_status(screen, &terminal, &out);
	if (screen->function)
		print_screen_of_callers(screen, &terminal, &out);
	else
		print_screen_of_rows(screen, &terminal, &out);
	textbuf_flush(&out);
	textbuf_deinit(&out);
}

static void clear_filter(struct live_screen *screen)
{
	screen->filter[0] = '\0';
	screen->mark = 0;
}

static void type_key(struct live_screen *screen, char key)
{
	size_t len = strlen(screen->filter);

	if (key == '\n' || key == '\033') {
		screen->is_typing = false;
		if (key == '\033')
			clear_filter(screen);
	} else if ((key == '\b' || key == '\177') && len) {
		screen->filter[len - 1] = '\0';
	} else if (key >= ' ' && key < '\177' && len + 1 < FILTER_SIZE) {
		screen->filter[len] = key;
		screen->filter[len + 1] = '\0';
	}
	screen->mark = 0;
}

static void move_mark(struct live_screen *screen, int rows)
{
	screen->mark = rows < 0 && screen->mark < (uint32_t)-rows ? 0 : screen->mark + rows;
}

/* Goes to the callers of the marked function. */
static void enter(struct live_screen *screen)
{
	const struct live_line *row = find_marked(screen);

	if (!row || row->part >= screen->shown.stacks.nr)
		return;
	screen->part = row->part;
	screen->function = strdup(screen->shown.names.data + row->full);
}

static void go_back(struct live_screen *screen)
{
	free(screen->function);
	screen->function = NULL;
}

static void take_key(struct live_screen *screen, char key)
{
	static const enum top_sort after[] = {
		[TOP_SORT_SELF] = TOP_SORT_TOTAL,
		[TOP_SORT_TOTAL] = TOP_SORT_NAME,
		[TOP_SORT_CPUS] = TOP_SORT_TOTAL,
		[TOP_SORT_NAME] = TOP_SORT_SELF,
	};

	if (screen->is_typing)
		type_key(screen, key);
	else if (screen->function && (key == '\n' || key == '\033'))
		go_back(screen);
	else if (key == '\n')
		enter(screen);
	else if (key == 's')
		screen->sort = after[screen->sort];
	else if (key == '/')
		screen->is_typing = true;
	else if (key == '\033')
		clear_filter(screen);
	else if (key == ' ')
		screen->is_paused = !screen->is_paused;
	else if (key == 'q')
		/* As Ctrl-C, which all of a pipeline gets: the recorder ends its recording. */
		kill(0, SIGINT);
}

/* Takes the keys in @text. Arrows and the keys for pages are ESC [ and more. */
static void take_keys(struct live_screen *screen, const char *text, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (text[i] != '\033' || i + 2 >= nr || text[i + 1] != '[') {
			take_key(screen, text[i]);
			continue;
		}
		i += 2;
		move_mark(screen, text[i] == 'A'   ? -1
				  : text[i] == 'B' ? 1
				  : text[i] == '5' ? -PAGE_ROWS
				  : text[i] == '6' ? PAGE_ROWS
						   : 0);
		if (i + 1 < nr && text[i + 1] == '~')
			i++;
	}
}

static void *wait_for_keys(void *ctx)
{
	struct live_screen *screen = ctx;
	struct pollfd fds[] = {{.fd = screen->tty, .events = POLLIN}, {.fd = screen->end[0]}};

	for (;;) {
		char text[KEYS_SIZE];
		ssize_t nr;

		if (poll(fds, ARRAY_SIZE(fds), -1) < 0 && errno == EINTR)
			continue;
		if (fds[1].revents)
			return NULL;
		nr = read(screen->tty, text, sizeof(text));
		if (nr <= 0 && errno != EINTR)
			return NULL;
		pthread_mutex_lock(&screen->lock);
		take_keys(screen, text, nr > 0 ? nr : 0);
		if (screen->shown.time[0])
			draw(screen);
		pthread_mutex_unlock(&screen->lock);
	}
}

/* Has the terminal send each key at once, and print none of them. */
static bool take_terminal(int tty)
{
	if (tcgetpgrp(tty) != getpgrp() || tcgetattr(tty, &usual))
		return false;
	keys = usual;
	keys.c_lflag &= ~(ICANON | ECHO);
	keys.c_cc[VMIN] = 1;
	keys.c_cc[VTIME] = 0;
	tty_of_signal = tty;
	set_signals(true);
	return !tcsetattr(tty, TCSANOW, &keys);
}

struct live_screen *live_screen_open(enum top_sort sort)
{
	_cleanup_close_ int tty =
		isatty(STDOUT_FILENO) ? open("/dev/tty", O_RDONLY | O_CLOEXEC) : -1;
	struct live_screen *screen = tty >= 0 ? calloc(1, sizeof(*screen)) : NULL;

	if (!screen)
		return NULL;
	screen->sort = sort;
	screen->next.text.fd = screen->shown.text.fd = -1;
	screen->next.names.fd = screen->shown.names.fd = -1;
	pthread_mutex_init(&screen->lock, NULL);
	if (pipe2(screen->end, O_CLOEXEC)) {
		free(screen);
		return NULL;
	}
	screen->tty = tty;
	if (take_terminal(tty) && !pthread_create(&screen->thread, NULL, wait_for_keys, screen)) {
		TAKE_FD(tty);
		return screen;
	}
	set_signals(false);
	close(screen->end[0]);
	close(screen->end[1]);
	free(screen);
	return NULL;
}

void live_screen_close(struct live_screen *screen)
{
	if (!screen)
		return;
	close(screen->end[1]);
	pthread_join(screen->thread, NULL);
	close(screen->end[0]);
	tcsetattr(screen->tty, TCSANOW, &usual);
	set_signals(false);
	close(screen->tty);
	table_deinit(&screen->next);
	table_deinit(&screen->shown);
	pthread_mutex_destroy(&screen->lock);
	free(screen->function);
	free(screen);
}

struct textbuf *live_screen_text(struct live_screen *screen)
{
	return &screen->next.text;
}

void live_screen_wait(struct live_screen *screen, const char *text)
{
	struct textbuf out = {.fd = STDOUT_FILENO};
	struct terminal terminal;

	pthread_mutex_lock(&screen->lock);
	terminal_look(&terminal, STDOUT_FILENO);
	terminal_begin_screen(&terminal, &out);
	textbuf_str(&out, text);
	textbuf_flush(&out);
	pthread_mutex_unlock(&screen->lock);
	textbuf_deinit(&out);
}

void live_screen_begin(struct live_screen *screen, const char *time)
{
	struct live_table *table = &screen->next;

	table->text.nr = table->names.nr = 0;
	vec_clear(&table->lines);
	table_forget_stacks(table);
	snprintf(table->time, sizeof(table->time), "%s", time);
}

int live_screen_keep_stacks(struct live_screen *screen, const struct printout *p)
{
	struct rows_summary seen = {0}; /* the table sums up the same */
	struct call_tree tree;
	int ret = call_tree_make(&tree, p, NULL, 0, &seen);

	if (!ret)
		ret = vec_push(&screen->next.stacks, tree);
	if (ret)
		call_tree_deinit(&tree);
	return ret;
}

void live_screen_note(struct live_screen *screen, const struct top_count *count, size_t begin,
		      size_t at, const char *name)
{
	struct live_table *table = &screen->next;
	const struct live_line row = {
		.begin = begin,
		.name = at,
		.is_row = true,
		.self = count->self,
		.total = count->total,
		.full = table->names.nr,
		.part = table->stacks.nr - 1,
	};

	textbuf_bytes(&table->names, name, strlen(name) + 1);
	if (table->names.error)
		textbuf_fail(&table->text, table->names.error);
	if (vec_push(&screen->next.lines, row))
		textbuf_fail(&screen->next.text, -ENOMEM);
}

/* Adds the lines that are no rows, and the ends of all. */
static int find_lines(struct live_table *table)
{
	size_t at = 0, row = 0, nr_noted = table->lines.nr;
	live_lines lines = {0};
	int ret = 0;

	while (!ret && at < table->text.nr) {
		const char *begin = table->text.data + at;
		const char *end = memchr(begin, '\n', table->text.nr - at);
		struct live_line line = {.begin = at};

		if (row < nr_noted && table->lines.data[row].begin == at)
			line = table->lines.data[row++];
		line.end = end ? at + (end - begin) : table->text.nr;
		ret = vec_push(&lines, line);
		at = line.end + 1;
	}
	vec_free(&table->lines);
	table->lines = lines;
	return ret;
}

int live_screen_show(struct live_screen *screen)
{
	int ret = screen->next.text.error;

	if (!ret)
		ret = find_lines(&screen->next);
	if (ret)
		return ret;
	pthread_mutex_lock(&screen->lock);
	if (!screen->is_paused) {
		struct live_table shown = screen->shown;

		screen->shown = screen->next;
		screen->next = shown;
		draw(screen);
	}
	pthread_mutex_unlock(&screen->lock);
	return 0;
}
