// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/terminal/live_screen.h"

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

#define FILTER_SIZE 64
#define KEYS_SIZE   64
#define PAGE_ROWS   10

#define HELP "q quit, s sort, / filter, space pause, arrows scroll"

/* A line of the text, without its newline. */
struct live_line {
	size_t begin, name, end; /* the name of a row */
	bool is_row;
	uint64_t self, total;
};

typedef VEC(struct live_line) live_lines;

/* The table of an interval. */
struct live_table {
	struct textbuf text;
	live_lines lines;
	char time[16];
};

struct live_screen {
	struct live_table next, shown; /* next belongs to the thread that reads the recording */
	pthread_mutex_t lock;          /* of all below, and of what is shown */
	enum top_sort sort;
	char filter[FILTER_SIZE];
	bool is_typing, is_paused;
	uint32_t first; /* row that is shown */
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

static void table_deinit(struct live_table *table)
{
	textbuf_deinit(&table->text);
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

/* Prints @nr rows from @line on that pass, at most @most of them. */
static void print_rows(struct live_screen *screen, struct textbuf *out, size_t line, size_t nr,
		       size_t most)
{
	struct live_line *rows = &screen->shown.lines.data[line];
	size_t passed = 0, printed = 0;

	qsort_r(rows, nr, sizeof(*rows), compare_rows, screen);
	for (size_t i = 0; i < nr && printed < most; i++) {
		if (!passes(screen, &rows[i]) || passed++ < screen->first)
			continue;
		textbuf_bytes(out, screen->shown.text.data + rows[i].begin,
			      rows[i].end - rows[i].begin);
		textbuf_char(out, '\n');
		printed++;
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

	textbuf_printf(&line, "%s  by %s", screen->shown.time, orders[screen->sort]);
	if (screen->filter[0] || screen->is_typing)
		textbuf_printf(&line, ", filter '%s%s'", screen->filter,
			       screen->is_typing ? "_" : "");
	if (screen->first)
		textbuf_printf(&line, ", from row %" PRIu32, screen->first + 1);
	textbuf_printf(&line, "%s  (%s)", screen->is_paused ? ", PAUSED" : "", HELP);
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

/* Keeps the last row that passes on the screen. */
static void limit_first(struct live_screen *screen)
{
	uint32_t nr = 0;

	vec_for_each(&screen->shown.lines, line)
		nr += line->is_row && passes(screen, line);
	if (screen->first >= nr)
		screen->first = nr ? nr - 1 : 0;
}

/* Draws what is shown. The lock is held. */
static void draw(struct live_screen *screen)
{
	const struct live_table *table = &screen->shown;
	struct textbuf out = {.fd = STDOUT_FILENO};
	size_t nr_parts = 0, nr_others = 2, most; /* the status, and the cursor's line */
	struct terminal terminal;

	terminal_look(&terminal, STDOUT_FILENO);
	limit_first(screen);
	for (size_t i = 0; i < table->lines.nr; i++) {
		nr_others += !table->lines.data[i].is_row;
		nr_parts += table->lines.data[i].is_row && (!i || !table->lines.data[i - 1].is_row);
	}
	most = terminal.height > nr_others && nr_parts ? (terminal.height - nr_others) / nr_parts
						       : 1;
	terminal_begin_screen(&terminal, &out);
	print_status(screen, &terminal, &out);
	for (size_t i = 0; i < table->lines.nr;) {
		size_t nr = nr_rows(table, i);

		if (nr)
			print_rows(screen, &out, i, nr, most);
		else
			print_other(table, &table->lines.data[i], &terminal, &out);
		i += nr ? nr : 1;
	}
	textbuf_flush(&out);
	textbuf_deinit(&out);
}

static void type_key(struct live_screen *screen, char key)
{
	size_t len = strlen(screen->filter);

	if (key == '\n' || key == '\033') {
		screen->is_typing = false;
		if (key == '\033')
			screen->filter[0] = '\0';
	} else if ((key == '\b' || key == '\177') && len) {
		screen->filter[len - 1] = '\0';
	} else if (key >= ' ' && key < '\177' && len + 1 < FILTER_SIZE) {
		screen->filter[len] = key;
		screen->filter[len + 1] = '\0';
	}
	screen->first = 0;
}

static void scroll(struct live_screen *screen, int rows)
{
	screen->first = rows < 0 && screen->first < (uint32_t)-rows ? 0 : screen->first + rows;
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
	else if (key == 's')
		screen->sort = after[screen->sort];
	else if (key == '/')
		screen->is_typing = true;
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
		scroll(screen, text[i] == 'A'   ? -1
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
	free(screen);
}

struct textbuf *live_screen_text(struct live_screen *screen)
{
	return &screen->next.text;
}

void live_screen_begin(struct live_screen *screen, const char *time)
{
	struct live_table *table = &screen->next;

	table->text.nr = 0;
	vec_clear(&table->lines);
	snprintf(table->time, sizeof(table->time), "%s", time);
}

void live_screen_note(struct live_screen *screen, const struct top_count *count, size_t begin,
		      size_t name)
{
	const struct live_line row = {begin, name, 0, true, count->self, count->total};

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
