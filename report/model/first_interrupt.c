// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/first_interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t is_spared;
static void (*volatile next)(int); /* NULL: only the usual action */

static void take_interrupt(int number)
{
	if (is_spared) {
		is_spared = 0;
		return;
	}
	signal(number, SIG_DFL);
	if (next)
		next(number);
	else
		raise(number);
}

void first_interrupt_spare(void)
{
	const struct sigaction action = {.sa_handler = take_interrupt, .sa_flags = SA_RESTART};
	struct sigaction before;

	if (sigaction(SIGINT, NULL, &before) || before.sa_handler == SIG_IGN)
		return;
	is_spared = 1;
	if (before.sa_handler == take_interrupt)
		return;
	if (before.sa_handler != SIG_DFL)
		first_interrupt_set_next(before.sa_handler);
	sigaction(SIGINT, &action, NULL);
}

void first_interrupt_end(void)
{
	is_spared = 0;
}

void first_interrupt_set_next(void (*handler)(int))
{
	next = handler;
}
