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
	int turn;          /* in which it was opened */
};

/* Those that take samples, and those that tell of processes: in each, the first one is a trial. */
static struct made_event made_events[32], made_tellers[32];
static size_t nr_made_events, nr_made_tellers;

/* Errors of opening events: the next one, and any that matches. */
static int made_open_error;
static int (*made_open_refuses)(const struct perf_event_attr *attr, int32_t tid);
static size_t made_locked_bytes = SIZE_MAX; /* memory that a buffer may have */
static int made_ioctl_error;

/* Of what is asked of the kernel, this one fails with EIO; -1: none does. */
static int made_failing_step = -1, nr_made_steps;

long __wrap_syscall(long nr, ...);
long __real_syscall(long nr, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __real_ioctl(int fd, unsigned long request, ...);
void *__wrap_mmap64(void *at, size_t bytes, int prot, int flags, int fd, off_t off);
void *__real_mmap64(void *at, size_t bytes, int prot, int flags, int fd, off_t off);

/* The latest event of this descriptor. */
static struct made_event *made_find(int fd)
{
	struct made_event *found = NULL;

	for (size_t i = 0; i < nr_made_events; i++)
		if (made_events[i].fd == fd && (!found || found->turn < made_events[i].turn))
			found = &made_events[i];
	for (size_t i = 0; i < nr_made_tellers; i++)
		if (made_tellers[i].fd == fd && (!found || found->turn < made_tellers[i].turn))
			found = &made_tellers[i];
	return found;
}

static struct made_event *made_add(const struct perf_event_attr *attr)
{
	bool tells = attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;

	/* A trial tries both in turn, until both are opened. */
	if (tells && !nr_made_events)
		nr_made_tellers = 0;
	ck_assert_uint_lt(nr_made_events, ARRAY_SIZE(made_events));
	ck_assert_uint_lt(nr_made_tellers, ARRAY_SIZE(made_tellers));
	return tells ? &made_tellers[nr_made_tellers++] : &made_events[nr_made_events++];
}

static bool made_step_fails(void)
{
	errno = EIO;
	return nr_made_steps++ == made_failing_step;
}

static int made_open(const struct perf_event_attr *attr, int32_t tid, int32_t cpu)
{
	static int turn;
	int error = made_open_refuses ? made_open_refuses(attr, tid) : 0;
	struct made_event *e;

	if (made_step_fails())
		return -1;
	if (error || made_open_error) {
		errno = error ? error : made_open_error;
		return -1;
	}
	e = made_add(attr);
	*e = (struct made_event){
		.attr = *attr, .tid = tid, .cpu = cpu, .output_fd = -1, .turn = turn++};
	e->fd = memfd_create("event", MFD_CLOEXEC);
	ck_assert_int_eq(ftruncate(e->fd, sysconf(_SC_PAGESIZE) + MADE_RING_BYTES), 0);
	return e->fd;
}

/* What read() gives of the event from now on, some times. */
static inline void made_count(struct made_event *e, uint64_t value, uint64_t lost)
{
	const uint64_t count[] = {value, lost};

	for (off_t i = 0; i < 8; i++)
		ck_assert_int_eq(pwrite(e->fd, count, sizeof(count), i * 16), sizeof(count));
	ck_assert_int_eq(lseek(e->fd, 0, SEEK_SET), 0);
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
	if (made_step_fails())
		return -1;
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
	if (fd >= 0 && made_find(fd) && made_step_fails())
		return MAP_FAILED;
	if (fd >= 0 && made_find(fd) && bytes > made_locked_bytes) {
		errno = EPERM;
		return MAP_FAILED;
	}
	return __real_mmap64(at, bytes, prot, flags, fd, off);
}

#endif
