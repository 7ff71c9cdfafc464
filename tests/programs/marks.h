/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of libc that nobody else makes, for tests that record them by probes (tests/lib/marks.sh).
 * They are many calls of getpgid, until SIGUSR1 comes; then NR_MARKS calls of getsid, with which
 * the process ends. With MARKS_STAY in its environment it waits then until somebody ends it.
 */
#ifndef TESTS_PROGRAMS_MARKS_H
#define TESTS_PROGRAMS_MARKS_H

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define NR_MARKS 20

pid_t getpgid(pid_t pid);
pid_t getsid(pid_t pid);

static volatile sig_atomic_t marks_left;

static void begin_marks(int signal)
{
	(void)signal;
	marks_left = NR_MARKS;
}

__attribute__((constructor)) static void expect_marks(void)
{
	signal(SIGUSR1, begin_marks);
}

/* A frame of its own would hide which function calls it. */
__attribute__((always_inline)) static inline void mark(void)
{
	if (!marks_left) {
		getpgid(0);
	} else {
		getsid(0);
		if (!--marks_left) {
			while (getenv("MARKS_STAY"))
				pause();
			_exit(0);
		}
	}
}

#endif
