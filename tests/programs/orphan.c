// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * orphan NR: burns NR times in a thread after the main thread has ended. Prints a line when the
 * main thread has ended.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "burn.h"

static pthread_t main_thread;
static int nr;

__attribute__((noinline)) static void orphan(void)
{
	BURN_MS(100);
}

static void *burn(void *arg)
{
	(void)arg;
	pthread_join(main_thread, NULL);
	puts("alone");
	fflush(stdout);
	while (nr-- > 0)
		orphan();
	exit(0);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	nr = argc > 1 ? atoi(argv[1]) : 1;
	main_thread = pthread_self();
	pthread_create(&thread, NULL, burn, NULL);
	pthread_exit(NULL);
}
