/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples and the records of the side-band carry times of this clock. */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

/* Returns CLOCK_MONOTONIC, which does not fail, in nanoseconds. */
static inline uint64_t clock_monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

#endif
