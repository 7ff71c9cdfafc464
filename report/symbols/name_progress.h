/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells a user at a terminal how far the search for names is, when it takes longer than a second. A
 * thread of its own writes the line, since one file can take most of the time. Nothing is written
 * if standard error is no terminal.
 */
#ifndef REPORT_SYMBOLS_NAME_PROGRESS_H
#define REPORT_SYMBOLS_NAME_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct name_progress {
	bool is_shown; /* there is a thread */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under the lock */
	bool is_ended;
	size_t done, all; /* addresses */
};

/* Begins. Where no thread can be started, nothing is shown. name_progress_end must follow. */
void name_progress_begin(struct name_progress *progress);

/* Says that @done of @all addresses were looked up. @progress may be NULL. */
void name_progress_set(struct name_progress *progress, size_t done, size_t all);

/* Ends. After that the line is cleared, and nothing is written any more. */
void name_progress_end(struct name_progress *progress);

#endif
