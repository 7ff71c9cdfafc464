/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Burns CPU time, for the test programs. */
#ifndef TESTS_PROGRAMS_BURN_H
#define TESTS_PROGRAMS_BURN_H

#include <sys/mman.h>
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

#define PAGE_BYTES 4096

/*
 * Takes @nr page faults in the function that inlines it. The event page-faults samples each of
 * them, so a test knows the number of samples.
 */
#define TAKE_FAULTS(nr)                                                                            \
	do {                                                                                       \
		static volatile char _page[PAGE_BYTES] __attribute__((aligned(PAGE_BYTES)));       \
		for (int _i = 0; _i < (nr); _i++) {                                                \
			madvise((void *)_page, PAGE_BYTES, MADV_DONTNEED);                         \
			_page[0] = 1;                                                              \
		}                                                                                  \
	} while (0)

/* Built with BURN_FAULTS, a program takes so many page faults in place of milliseconds. */
#ifdef BURN_FAULTS
#undef BURN_MS
#define BURN_MS(ms) TAKE_FAULTS(ms)
#endif

/*
 * Built with BURN_MARKS, a program makes a call that a test counts (marks.h) where it would burn,
 * and burns a millisecond before it, unless it is one of the last.
 */
#ifdef BURN_MARKS
#include "tests/programs/marks.h"

#undef BURN_MS
#define BURN_MS(ms)                                                                                \
	do {                                                                                       \
		if (!marks_left)                                                                   \
			for (volatile int _i = 0; _i < BURN_TURNS * 3; _i++)                       \
				;                                                                  \
		mark();                                                                            \
	} while (0)
#endif

#endif
