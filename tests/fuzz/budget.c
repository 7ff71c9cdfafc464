// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/budget.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "tests/fuzz/input.h"

static void die(void)
{
	static const char text[] = "the input took too long\n";

	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(EXIT_FAILURE);
	abort();
}

static void handle_tick(int number)
{
	(void)number;
	die();
}

/* Milliseconds of CPU time of children that have ended. */
static long children_ms(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

void budget_run(const uint8_t *data, size_t len, int verbose)
{
	const struct sigaction action = {.sa_handler = handle_tick, .sa_flags = SA_RESTART};
	struct itimerval timer = {.it_value = {.tv_sec = BUDGET_MS / 1000}};
	long before_ms = children_ms();

	if (sigaction(SIGPROF, &action, NULL) || setitimer(ITIMER_PROF, &timer, NULL))
		abort();
	input_run(data, len, verbose);
	timer = (struct itimerval){0};
	setitimer(ITIMER_PROF, &timer, NULL);
	if (children_ms() - before_ms > BUDGET_MS)
		die();
}
