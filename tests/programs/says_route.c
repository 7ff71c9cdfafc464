// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * says_route FORM [LIBRARY]: threads that publish the route of their request (OpenTelemetry's OTEP
 * 4947), and change it thousands of times a second. With LIBRARY, the variable is in a library that
 * is loaded while the program runs. It uses the CPU until it gets a signal, or for SIGTERM until it
 * has printed "ROUTE SECONDS" for each route, by the CPU time that it has measured itself. With
 * TURNS=N in the environment, requests are in on_0 until SIGUSR1. Then each thread serves N more,
 * and it prints "ROUTE REQUESTS".
 *
 * The function that a thread runs has the name of the route: each of on_cart, on_pay and on_home
 * runs for its own route alone. FORM is one of
 *   routes   three routes, of which the parts of the time are 1/2, 1/3 and 1/6
 *   late     as routes, but it publishes the names of the attributes after a second
 *   many     each request has a route of its own
 *   waits    as routes, but in each request the thread sleeps for 1.5 seconds first
 *   sizes, valid, entries, address
 *            records with sizes that are too large, not valid, with entries that end too late, and
 *            at addresses that nobody has
 *   escapes  a route with control characters
 *
 * With GO_MINOR, it passes for a program of Go 1.GO_MINOR, whose goroutines have such labels.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#ifndef NR_THREADS
#define NR_THREADS 3
#endif

static const char *form;

#ifdef GO_MINOR
#include "go_record.h"
#else
#include "otel_record.h"
#endif

struct route {
	const char *name;
	double share;
	void (*run)(double seconds);
};

static volatile sig_atomic_t is_over, has_begun;
static void **(*find_record)(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double seconds_of[3];
static unsigned long turns, turns_of[3];

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

#define ROUTE(name)                                                                                \
	static void __attribute__((noinline, noipa)) name(double seconds)                          \
	{                                                                                          \
		double end = cpu_seconds() + seconds;                                              \
                                                                                                   \
		do                                                                                 \
			for (volatile int i = 0; i < 1000; i++)                                    \
				;                                                                  \
		while (cpu_seconds() < end);                                                       \
	}

ROUTE(on_cart)
ROUTE(on_pay)
ROUTE(on_home)
ROUTE(on_0)

static const struct route routes[3] = {
	{"/cart", 1.0 / 2, on_cart}, {"/pay", 1.0 / 3, on_pay}, {"/home", 1.0 / 6, on_home}};

/* A request that @counts is one of those that the program tells of. */
static void run_request(void **published, struct record *r, int i, unsigned long nr, bool counts)
{
	const struct route *route = &routes[i];
	double begin = cpu_seconds();
	char name[64];

	snprintf(name, sizeof(name), "/%lu", nr);
	if (!strcmp(form, "many"))
		fill(r, name);
	else if (!strcmp(form, "escapes"))
		fill(r, "\033[31m<b>&'\"\n");
	else
		fill(r, route->name);
	identify(r, i, nr);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*published = strcmp(form, "address") ? r : (void *)((uintptr_t)rand() << 17 | 8);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!strcmp(form, "waits"))
		usleep(1500000);
	(counts ? route->run : on_0)(route->share * 300e-6);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*published = NULL;
	pthread_mutex_lock(&lock);
	seconds_of[i] += cpu_seconds() - begin;
	turns_of[i] += counts;
	pthread_mutex_unlock(&lock);
}

static void *serve(void *first)
{
	void **published = find_record();
	struct record records[2];
	unsigned long begin = (unsigned long)(uintptr_t)first << 40, nr = begin;

	while (turns && !has_begun)
		run_request(published, &records[0], (uintptr_t)first, begin, false);
	while (!is_over && (!turns || nr < begin + turns)) {
		int i = (nr + (uintptr_t)first) % 3;

		run_request(published, &records[nr % 2], i, nr, true);
		nr++;
	}
	return NULL;
}

static void end(int signal)
{
	(void)signal;
	is_over = 1;
}

static void begin_requests(int signal)
{
	(void)signal;
	has_begun = 1;
}

#ifndef IN_LIBRARY
#include "thread_record.c"
#else
void **thread_record(void);
#endif

int main(int argc, char **argv)
{
	void *library = argc > 2 ? dlopen(argv[2], RTLD_NOW) : NULL;
	pthread_t threads[NR_THREADS];

	if (argc < 2 || (argc > 2 && !library))
		return 2;
	form = argv[1];
#ifdef LOADED
	find_record = (void **(*)(void))dlsym(library, "thread_record");
#else
	find_record = thread_record;
#endif
	signal(SIGTERM, end);
	publish(strcmp(form, "late") != 0);
	if (getenv("TURNS"))
		turns = strtoul(getenv("TURNS"), NULL, 10);
	has_begun = !turns;
	signal(SIGUSR1, begin_requests);
	puts("published");
	fflush(stdout);
	for (uintptr_t i = 0; i < NR_THREADS; i++)
		pthread_create(&threads[i], NULL, serve, (void *)i);
	if (!strcmp(form, "late")) {
		sleep(1);
		change();
	}
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 3; i++)
		if (turns)
			printf("%s %lu\n", routes[i].name, turns_of[i]);
		else
			printf("%s %.3f\n", routes[i].name, seconds_of[i]);
	return 0;
}
