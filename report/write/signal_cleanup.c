// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/write/signal_cleanup.h"

#include <stddef.h>

#include "common/cleanup.h"
#include "report/model/first_interrupt.h"

static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};

/* A handler gets no other argument. */
static void (*volatile clean_at_signal)(void);

static void clean_and_end(int number)
{
	clean_at_signal();
	/* The action is the usual one again, and ends the process after this handler. */
	raise(number);
}

void signal_cleanup_set(void (*clean)(void))
{
	const struct sigaction action = {.sa_handler = clean_and_end, .sa_flags = SA_RESETHAND};
	struct sigaction before;

	clean_at_signal = clean;
	first_interrupt_set_next(clean_and_end);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (!sigaction(numbers[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
}

void signal_cleanup_defer(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		sigaddset(&set, numbers[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

void signal_cleanup_allow(const sigset_t *before)
{
	sigprocmask(SIG_SETMASK, before, NULL);
}
