/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks. Samples and the records of the side-band carry times of CLOCK_MONOTONIC as the kernel has
 * it. In a time namespace, a process reads other times from its clocks and from /proc. So these
 * functions give the kernel's time, once the offsets are known.
 */
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

/* What the time namespace adds to the kernel's clocks. All zero: there is none. */
struct clock_offsets {
	int64_t monotonic_ns, boottime_ns;
};

extern struct clock_offsets clock_offsets;

/*
 * Sets clock_offsets by /proc/self/timens_offsets. A process calls it before it starts others or
 * reads a clock. Kernels without time namespaces have no such file.
 */
void clock_offsets_init(void);

/* Reads that file's @text. Clocks that it does not name have no offset. */
struct clock_offsets clock_offsets_parse(const char *text);

static inline uint64_t clock_monotonic_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC) - clock_offsets.monotonic_ns;
}

/*
 * The kernel's time for @ns of CLOCK_BOOTTIME, as /proc shows it. It may have wrapped around, since
 * a process may be older than the zero of a time namespace.
 */
static inline uint64_t clock_boottime_of(uint64_t ns)
{
	return ns - clock_offsets.boottime_ns;
}

static inline uint64_t clock_realtime_ns(void)
{
	return clock_read_ns(CLOCK_REALTIME);
}

/* Goes on while the host is suspended. */
static inline uint64_t clock_boottime_ns(void)
{
	return clock_boottime_of(clock_read_ns(CLOCK_BOOTTIME));
}

#endif
