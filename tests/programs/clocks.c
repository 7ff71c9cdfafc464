// SPDX-License-Identifier: GPL-2.0-or-later
/* Asks for the time until it is killed. Most of its CPU time is in the vdso. */
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

__attribute__((noinline)) static void ask_clock(void)
{
	struct timespec now;
	struct timeval day;

	clock_gettime(CLOCK_MONOTONIC, &now);
	gettimeofday(&day, NULL);
}

int main(void)
{
	for (;;)
		ask_clock();
}
