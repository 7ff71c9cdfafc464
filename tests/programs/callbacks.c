// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * callbacks N FILE: says its pid, and waits for a line of FILE. Then N times, the main thread and
 * another one sort numbers and search for one of them. The C library calls compare, from functions
 * of its own. Prints how often that was.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define NUMBERS 100

static unsigned long nr_all;
static __thread unsigned long nr_calls;

__attribute__((noinline)) int compare(const void *a, const void *b)
{
	nr_calls++;
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) void sort(void)
{
	int all[NUMBERS];

	for (int i = 0; i < NUMBERS; i++)
		all[i] = i * 7919 % NUMBERS;
	qsort(all, NUMBERS, sizeof(*all), compare);
	if (!bsearch(&all[7], all, NUMBERS, sizeof(*all), compare))
		exit(1);
}

static void *sort_often(void *nr)
{
	for (long n = *(long *)nr; n > 0; n--)
		sort();
	__atomic_fetch_add(&nr_all, nr_calls, __ATOMIC_RELAXED);
	return NULL;
}

int main(int argc, char **argv)
{
	long nr = argc > 2 ? atol(argv[1]) : 0;
	pthread_t thread;
	FILE *go;

	printf("%d\n", (int)getpid());
	fflush(stdout);
	go = nr ? fopen(argv[2], "re") : NULL;
	if (!go || getc(go) == EOF)
		return 1;
	if (pthread_create(&thread, NULL, sort_often, &nr))
		return 1;
	sort_often(&nr);
	pthread_join(thread, NULL);
	printf("%lu\n", nr_all);
	return 0;
}
