// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * many_maps PROCESSES MAPPINGS [made]: processes with so many mappings of code, which run now and
 * then, each time with a mark. "made": the code is in no file, as that of a JIT compiler.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "marks.h"

#define TURN_NS 400000

/* Runs for TURN_NS of CPU time, so that on a CPU of any speed as many processes are sampled. */
static void burn_a_turn(void)
{
	struct timespec from, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - from.tv_sec) * 1000000000 + now.tv_nsec - from.tv_nsec < TURN_NS);
}

int main(int argc, char **argv)
{
	const struct timespec pause = {.tv_nsec = 300000000};
	int fd = argc > 3 ? -1 : open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int processes = argc > 2 ? atoi(argv[1]) : 0;

	/* Side by side, but of one place in the file: the kernel does not join them. */
	for (int i = argc > 2 ? atoi(argv[2]) : 0; i > 0; i--)
		if (mmap(NULL, 4096, PROT_READ | PROT_EXEC,
			 MAP_PRIVATE | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0) == MAP_FAILED)
			return 1;
	for (int i = 1; i < processes; i++)
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			break;
		}
	for (;;) {
		burn_a_turn();
		mark();
		nanosleep(&pause, NULL);
	}
}
