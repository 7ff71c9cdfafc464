/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table at a terminal that is drawn anew for each interval, and by keys: another order, a filter,
 * another part of the rows, the callers of a marked row, a pause. A thread waits for keys while the
 * next interval is read.
 */
#ifndef REPORT_PRINT_LIVE_SCREEN_H
#define REPORT_PRINT_LIVE_SCREEN_H

#include "report/print/top_counts.h"
#include "report/text/terminal.h"

struct live_screen;

/*
 * Takes the keys of the terminal that standard output is. Returns NULL if it is none, or if its
 * keys are another process's. Signals that end the process give the terminal back first.
 */
struct live_screen *live_screen_open(enum top_sort sort);

/* Gives the terminal back; NULL is fine. */
void live_screen_close(struct live_screen *screen);

/* Returns the text that takes the table; it stays where it is. */
struct textbuf *live_screen_text(struct live_screen *screen);

/* Shows @text until there is a table. */
void live_screen_wait(struct live_screen *screen, const char *text);

/* Begins the table of an interval that ended at @time. */
void live_screen_begin(struct live_screen *screen, const char *time);

/* Keeps the stacks of the rows that follow, for the callers of functions. Returns 0 or an error. */
int live_screen_keep_stacks(struct live_screen *screen, const struct printout *p);

/*
 * Notes that a row begins at the end of the text, whose name will be at @at characters. There it
 * may be cut, so @name is the whole name.
 */
void live_screen_note(struct live_screen *screen, const struct top_count *count, size_t begin,
		      size_t at, const char *name);

/* Shows the table, unless the user made a pause. Returns 0 or -ENOMEM. */
int live_screen_show(struct live_screen *screen);

#endif
