// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * leaderless N: a thread prints the id of the process when the main thread has ended, and at a line
 * of standard input calls its own function N times. It prints "called" then, and ends at the next
 * line.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_t main_thread;

__attribute__((noinline)) void own_function(void)
{
	__asm__ volatile("");
}

static void *call(void *nr)
{
	pthread_join(main_thread, NULL);
	printf("%d\n", getpid());
	fflush(stdout);
	if (getchar() == EOF)
		exit(1);
	for (long i = 0; i < *(long *)nr; i++)
		own_function();
	puts("called");
	fflush(stdout);
	exit(getchar() == EOF);
}

int main(int argc, char **argv)
{
	static long nr;
	pthread_t thread;

	nr = argc > 1 ? atol(argv[1]) : 1;
	main_thread = pthread_self();
	if (pthread_create(&thread, NULL, call, &nr))
		return 1;
	pthread_exit(NULL);
}
