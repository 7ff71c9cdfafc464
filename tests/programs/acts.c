// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does one thing a known number of times, or goes on with it until it is killed:
 *
 *	acts touch N     faults in N pages, and prints the number of faults that the kernel counted
 *	acts sleep N     sleeps N times for a microsecond, and prints the number of switches
 *	acts call N      asks N times for its parent
 *	acts deep N      burns CPU below N calls
 *	acts threads     burns CPU in two threads, and prints name and id of each
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "burn.h"

/* Begins to count the event of this thread's page faults. Returns its descriptor. */
static int count_faults(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		exit(1);
	return fd;
}

static long faults(int fd)
{
	long long nr = 0;

	if (read(fd, &nr, sizeof(nr)) != sizeof(nr))
		exit(1);
	return nr;
}

__attribute__((noinline)) void touch_pages(volatile char *p, long nr)
{
	for (long i = 0; i < nr; i++)
		p[i * 4096] = 1;
}

static void touch(long nr)
{
	char *p = mmap(NULL, nr * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = count_faults();
	long before;

	if (p == MAP_FAILED)
		exit(1);
	madvise(p, nr * 4096, MADV_NOHUGEPAGE);
	before = faults(fd);
	touch_pages(p, nr);
	printf("%ld\n", faults(fd) - before);
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static void doze(long nr)
{
	const struct timespec moment = {.tv_nsec = 1000};
	long before = switches();

	while (nr-- > 0)
		nanosleep(&moment, NULL);
	printf("%ld\n", switches() - before);
}

static void call(long nr)
{
	while (nr-- > 0)
		syscall(SYS_getppid);
}

__attribute__((noinline)) int descend(long nr)
{
	if (nr > 0)
		return descend(nr - 1) + 1;
	for (;;)
		BURN_MS(10);
}

/* Gives itself a name, prints it, and burns. */
__attribute__((noinline)) void *burn_left(void *name)
{
	prctl(PR_SET_NAME, name);
	printf("%s %ld\n", (char *)name, (long)syscall(SYS_gettid));
	fflush(stdout);
	for (;;)
		BURN_MS(10);
}

__attribute__((noinline)) void *burn_right(void *name)
{
	prctl(PR_SET_NAME, name);
	printf("%s %ld\n", (char *)name, (long)syscall(SYS_gettid));
	fflush(stdout);
	for (;;)
		BURN_MS(10);
}

int main(int argc, char **argv)
{
	long nr = argc > 2 ? atol(argv[2]) : 0;
	const char *act = argc > 1 ? argv[1] : "";
	pthread_t left, right;

	if (!strcmp(act, "touch")) {
		touch(nr);
	} else if (!strcmp(act, "sleep")) {
		doze(nr);
	} else if (!strcmp(act, "call")) {
		call(nr);
	} else if (!strcmp(act, "deep")) {
		return descend(nr);
	} else if (!strcmp(act, "threads")) {
		pthread_create(&left, NULL, burn_left, "left");
		pthread_create(&right, NULL, burn_right, "right");
		pause();
	}
	return 0;
}
