/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Burns CPU time, for the test programs. */
#ifndef TESTS_PROGRAMS_BURN_H
#define TESTS_PROGRAMS_BURN_H

#include <time.h>

/* tests/steady has shorter turns, which move samples to other places. */
#ifndef BURN_TURNS
#define BURN_TURNS 100000
#endif

/*
 * Burns CPU in the function that inlines it, until @ms of CPU time have passed. Looks at the clock
 * seldom: samples by ptrace are where a system call returns if that comes before the interrupt.
 */
#define BURN_MS(ms)                                                                                \
	do {                                                                                       \
		struct timespec _from, _now;                                                       \
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &_from);                                    \
		do {                                                                               \
			for (volatile int _i = 0; _i < BURN_TURNS; _i++)                           \
				;                                                                  \
			clock_gettime(CLOCK_THREAD_CPUTIME_ID, &_now);                             \
		} while ((_now.tv_sec - _from.tv_sec) * 1000 +                                     \
				 (_now.tv_nsec - _from.tv_nsec) / 1000000 <                        \
			 (ms));                                                                    \
	} while (0)

#endif
