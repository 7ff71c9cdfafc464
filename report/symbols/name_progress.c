// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/name_progress.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"

#define FIRST_NS NS_PER_S
#define NEXT_NS  (NS_PER_S / 5)

/* Waits until the end, or until @ns have passed. Returns true at the end. */
static bool wait_for_end(struct name_progress *progress, uint64_t ns)
{
	uint64_t until_ns = clock_monotonic_ns() + ns;
	const struct timespec until = {until_ns / NS_PER_S, until_ns % NS_PER_S};
	int ret = 0;

	while (!progress->is_ended && ret != ETIMEDOUT)
		ret = pthread_cond_timedwait(&progress->changed, &progress->lock, &until);
	return progress->is_ended;
}

static void *show_lines(void *arg)
{
	struct name_progress *progress = arg;
	size_t done, all, shown = SIZE_MAX;
	bool has_line = false;

	pthread_mutex_lock(&progress->lock);
	while (!wait_for_end(progress, has_line ? NEXT_NS : FIRST_NS)) {
		done = progress->done;
		all = progress->all;
		has_line = true;
		/* While a file is fetched, the line is the fetcher's. */
		if (done == shown)
			continue;
		shown = done;
		/* A terminal that was stopped does not stop the search. */
		pthread_mutex_unlock(&progress->lock);
		dprintf(STDERR_FILENO, "\rprofrep: looking up names, %zu of %zu addresses\033[K",
			done, all);
		pthread_mutex_lock(&progress->lock);
	}
	pthread_mutex_unlock(&progress->lock);
	if (has_line)
		dprintf(STDERR_FILENO, "\r\033[K");
	return NULL;
}

/* Signals are for the main thread. Returns false if there is no thread. */
static bool start_thread(struct name_progress *progress)
{
	sigset_t all, before;
	bool is_started;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	is_started = !pthread_create(&progress->thread, NULL, show_lines, progress);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return is_started;
}

void name_progress_begin(struct name_progress *progress)
{
	pthread_condattr_t attr;

	*progress = (struct name_progress){0};
	if (!isatty(STDERR_FILENO))
		return;
	pthread_mutex_init(&progress->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&progress->changed, &attr);
	pthread_condattr_destroy(&attr);
	progress->is_shown = start_thread(progress);
}

void name_progress_set(struct name_progress *progress, size_t done, size_t all)
{
	if (!progress || !progress->is_shown)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->done = done;
	progress->all = all;
	pthread_mutex_unlock(&progress->lock);
}

void name_progress_end(struct name_progress *progress)
{
	if (!progress->is_shown)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->is_ended = true;
	pthread_cond_signal(&progress->changed);
	pthread_mutex_unlock(&progress->lock);
	pthread_join(progress->thread, NULL);
	progress->is_shown = false;
}
