/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A source that traces played threads, and a timer that expires when a test wants it to. */
#ifndef TESTS_TRACED_H
#define TESTS_TRACED_H

#include <poll.h>
#include <sys/timerfd.h>

#include "record/sampling/ptrace/ptrace_source.h"
#include "tests/unit/played_source.h"

#define PERIOD_NS (10 * NS_PER_MS)

/* How often ends are looked for that nobody has told. */
#define REAP_LOOKS 8

static struct ptrace_source *source;
static struct err err;
static struct itimerspec timer_set;
static bool lacks_schedstat;
static uint32_t nr_pauses, sleeps_in_pause; /* a thread that does */

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *at, struct itimerspec *old);
int __real_timerfd_settime(int fd, int flags, const struct itimerspec *at, struct itimerspec *old);
int __wrap_access(const char *path, int mode);
int __wrap_nanosleep(const struct timespec *pause, struct timespec *rest);
int __real_nanosleep(const struct timespec *pause, struct timespec *rest);

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *at, struct itimerspec *old)
{
	(void)fd, (void)flags, (void)old;
	timer_set = *at;
	return 0;
}

int __wrap_access(const char *path, int mode)
{
	ck_assert_str_eq(path, "/proc/self/schedstat");
	ck_assert_int_eq(mode, R_OK);
	return lacks_schedstat ? -1 : 0;
}

int __wrap_nanosleep(const struct timespec *pause, struct timespec *rest)
{
	nr_pauses++;
	if (sleeps_in_pause)
		played_find(sleeps_in_pause)->runs = false;
	return __real_nanosleep(pause, rest);
}

static void create(uint64_t freq_hz, uint32_t command_pid)
{
	const struct source_options options = {
		.freq_hz = freq_hz,
		.command_pid = command_pid,
		.listener = played_listener,
	};

	tracee = &played_ops;
	ck_assert_msg(!ptrace_source_create(&options, &source, &err), "%s", err.text);
}

/* Threads of this process are traced, and sampling has begun. */
static void trace(uint32_t pid)
{
	ck_assert_msg(!ptrace_source_add(source, pid, false, false, &err), "%s", err.text);
	ck_assert_int_eq(ptrace_source_start(source, &err), 0);
	played_log[0] = '\0';
}

/* Process 10 of one thread is traced. */
static inline void begin(void)
{
	create(NS_PER_S / PERIOD_NS, 0);
	played_add(10, 10)->runs = true;
	trace(10);
}

/* All threads have ended. */
static void end(void)
{
	nr_played = 0;
	ptrace_source_destroy(source);
}

static void take(void)
{
	ck_assert_int_eq(ptrace_source_take(source), 0);
}

/* It is time to look at the threads. */
static void look(void)
{
	const struct itimerspec now = {.it_value.tv_nsec = 1};
	struct pollfd timer = {.events = POLLIN};
	size_t nr;

	timer.fd = *ptrace_source_fds(source, &nr);
	ck_assert_uint_eq(nr, 1);
	ck_assert_int_eq(__real_timerfd_settime(timer.fd, 0, &now, NULL), 0);
	ck_assert_int_eq(poll(&timer, 1, -1), 1);
	timer_set = (struct itimerspec){0};
	take();
	ck_assert_uint_ne(timer_set.it_value.tv_sec + timer_set.it_value.tv_nsec, 0);
}

static inline void runs_for(uint32_t tid, uint64_t ns)
{
	played_find(tid)->ran_ns += ns;
}

/* The thread has used a period, and stops for a sample. */
static inline void stop_for_sample(uint32_t tid)
{
	runs_for(tid, PERIOD_NS);
	look();
	played_stops(tid, PTRACE_EVENT_STOP, SIGTRAP);
	take();
}

static inline void timer_is(uint64_t ns)
{
	ck_assert_uint_eq(timer_set.it_value.tv_sec * NS_PER_S + timer_set.it_value.tv_nsec, ns);
	ck_assert_int_eq(timer_set.it_interval.tv_sec, 0);
	ck_assert_int_eq(timer_set.it_interval.tv_nsec, 0);
}

#endif
