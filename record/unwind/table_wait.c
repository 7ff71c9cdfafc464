// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_wait.h"

#include <poll.h>

#include "common/clock.h"
#include "record/children/worker_line.h"

/* A wait is so many times longer on a machine where the child waits for a processor. */
#define STARVED_FACTOR 5

/*
 * With @ask, waits for the patient child, too, and calls it when a request got lost or the first
 * child has none.
 */
static int wait_for(struct file_tables *u, int ms, int (*ask)(void *ctx), void *ctx)
{
	const uint64_t wait_ns = ms * NS_PER_MS, begin_ns = clock_monotonic_ns();
	struct pollfd pollfd = {.fd = u->builder.epoll_fd, .events = POLLIN};
	uint64_t ran_ns = worker_line_ran_ns(u->builder.line);
	int ret = file_tables_finish(u), left = ms;

	for (;;) {
		uint64_t passed_ns;

		if (!ret && ask && (u->has_lost || !file_tables_are_due(u))) {
			u->has_lost = false;
			ret = ask(ctx);
		}
		if (ret || !(ask ? u->nr_asked : file_tables_are_due(u)) || left <= 0 ||
		    poll(&pollfd, 1, left) < 0)
			return ret;
		passed_ns = clock_monotonic_ns() - begin_ns;
		ret = file_tables_finish(u);
		left = passed_ns < wait_ns ? ms - (int)(passed_ns / NS_PER_MS) : 0;
		/* It has not had the time that it needs, which is not the files' fault. */
		if (!left && passed_ns < STARVED_FACTOR * wait_ns &&
		    worker_line_ran_ns(u->builder.line) - ran_ns < wait_ns &&
		    worker_line_wants_processor(u->builder.line))
			left = ms;
	}
}

int table_wait(struct file_tables *u, int ms)
{
	return wait_for(u, ms, NULL, NULL);
}

int table_wait_asking(struct file_tables *u, int ms, int (*ask)(void *ctx), void *ctx)
{
	return wait_for(u, ms, ask, ctx);
}
