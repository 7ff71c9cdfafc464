/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock that a test plays (--wrap=clock_gettime). */
#ifndef TESTS_PLAYED_CLOCK_H
#define TESTS_PLAYED_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "common/clock.h"

static uint64_t now_ns; /* what every clock says; 0: the real time */

int __real_clock_gettime(clockid_t clock, struct timespec *ts);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	if (!now_ns)
		return __real_clock_gettime(clock, ts);
	ts->tv_sec = (time_t)(now_ns / NS_PER_S);
	ts->tv_nsec = (long)(now_ns % NS_PER_S);
	return 0;
}

#endif
