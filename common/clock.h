/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clocks. Samples and the records of the side-band carry times of CLOCK_MONOTONIC. */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

/* Reading these clocks does not fail. All are in nanoseconds. */
static inline uint64_t clock_read_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static inline uint64_t clock_monotonic_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

static inline uint64_t clock_realtime_ns(void)
{
	return clock_read_ns(CLOCK_REALTIME);
}

/* Goes on while the machine is suspended. */
static inline uint64_t clock_boottime_ns(void)
{
	return clock_read_ns(CLOCK_BOOTTIME);
}

#endif
