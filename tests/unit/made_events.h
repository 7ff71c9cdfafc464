/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perf events that a test makes: it sees what is asked of the kernel, and writes the records of the
 * ring buffers (--wrap in the Makefile). An event is a file in memory, with room for a buffer.
 */
#ifndef TESTS_MADE_EVENTS_H
#define TESTS_MADE_EVENTS_H

#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tests/unit/played_source.h"

#define MADE_RING_BYTES (1u << 20)

struct made_event {
	struct perf_event_attr attr;
	int32_t tid, cpu;
	int fd, output_fd; /* whose buffer it writes to; -1: its own */
	int nr_enables;    /* less nr_disables */
};

static struct made_event made_events[32];
static size_t nr_made_events;

/* Errors of opening events: the next one, and any that matches. */
static int made_open_error;
static int (*made_open_refuses)(const struct perf_event_attr *attr, int32_t tid);
static size_t made_locked_bytes = SIZE_MAX; /* memory that a buffer may have */
static int made_ioctl_error;

long __wrap_syscall(long nr, ...);
long __real_syscall(long nr, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __real_ioctl(int fd, unsigned long request, ...);
void *__wrap_mmap64(void *at, size_t bytes, int prot, int flags, int fd, off_t off);
void *__real_mmap64(void *at, size_t bytes, int prot, int flags, int fd, off_t off);

/* The latest event of this descriptor. */
static struct made_event *made_find(int fd)
{
	for (size_t i = nr_made_events; i; i--)
		if (made_events[i - 1].fd == fd)
			return &made_events[i - 1];
	return NULL;
}

static int made_open(const struct perf_event_attr *attr, int32_t tid, int32_t cpu)
{
	struct made_event *e = &made_events[nr_made_events];
	int error = made_open_refuses ? made_open_refuses(attr, tid) : 0;

	if (error || made_open_error) {
		errno = error ? error : made_open_error;
		return -1;
	}
	ck_assert_uint_lt(nr_made_events++, ARRAY_SIZE(made_events));
	*e = (struct made_event){.attr = *attr, .tid = tid, .cpu = cpu, .output_fd = -1};
	e->fd = memfd_create("event", MFD_CLOEXEC);
	ck_assert_int_eq(ftruncate(e->fd, sysconf(_SC_PAGESIZE) + MADE_RING_BYTES), 0);
	return e->fd;
}

long __wrap_syscall(long nr, ...)
{
	long n[6];
	va_list args;

	va_start(args, nr);
	for (size_t i = 0; i < ARRAY_SIZE(n); i++)
		n[i] = va_arg(args, long);
	va_end(args);
	if (nr != SYS_perf_event_open)
		return __real_syscall(nr, n[0], n[1], n[2], n[3], n[4], n[5]);
	ck_assert_int_eq((int)n[3], -1);
	ck_assert_int_eq((int)n[4], PERF_FLAG_FD_CLOEXEC);
	return made_open((const struct perf_event_attr *)n[0], (int)n[1], (int)n[2]);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	struct made_event *e = made_find(fd);
	unsigned long value;
	va_list args;

	va_start(args, request);
	value = va_arg(args, unsigned long);
	va_end(args);
	if (!e)
		return __real_ioctl(fd, request, value);
	if (made_ioctl_error) {
		errno = made_ioctl_error;
		return -1;
	}
	if (request == PERF_EVENT_IOC_SET_OUTPUT)
		e->output_fd = (int)value;
	e->nr_enables += request == PERF_EVENT_IOC_ENABLE;
	e->nr_enables -= request == PERF_EVENT_IOC_DISABLE;
	return 0;
}

void *__wrap_mmap64(void *at, size_t bytes, int prot, int flags, int fd, off_t off)
{
	if (fd >= 0 && made_find(fd) && bytes > made_locked_bytes) {
		errno = EPERM;
		return MAP_FAILED;
	}
	return __real_mmap64(at, bytes, prot, flags, fd, off);
}

#endif
