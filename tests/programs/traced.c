// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a process must not notice of a recorder that stops it, or must still be seen doing:
 *
 *	traced burn MS           burns CPU, and prints the milliseconds that the kernel counted
 *	traced quiet MS          burns CPU
 *	traced children N MS     N processes burn MS each, one after the other; prints their time
 *	traced vfork N MS        the same, begun by vfork and exec
 *	traced exec MS           a thread that is not the main one calls exec, and burns then
 *	traced threads N MS      N threads burn, and 20 sleep
 *	traced load FILE         loads the library and runs its function plugged() for 0.3 s
 *	traced signals N         sends itself N signals while timers and children send theirs
 *	traced calls MS          waits in system calls between bursts, while children end; prints
 *	                         those cut short
 *	traced die SIGNAL        ends by the signal
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

#define NR_SLEEPERS 20

static long burn_for;
static char *self;
static volatile sig_atomic_t nr_user, nr_alarm;

__attribute__((noinline)) void burn_here(long ms);

__attribute__((noinline)) void burn_here(long ms)
{
	BURN_MS(ms);
}

static void print_used(int who)
{
	struct rusage u;

	getrusage(who, &u);
	printf("%ld\n", (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000 +
				(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1000);
}

static void exec_burn(long ms)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", ms);
	execl(self, "traced", "burn", text, NULL);
	_exit(127);
}

static void *exec_in_thread(void *arg)
{
	prctl(PR_SET_NAME, "executor");
	BURN_MS(50);
	exec_burn(burn_for);
	return arg;
}

static void *burn_in_thread(void *arg)
{
	prctl(PR_SET_NAME, "burner");
	burn_here(burn_for);
	return arg;
}

static void *sleep_in_thread(void *arg)
{
	prctl(PR_SET_NAME, "sleeper");
	pause();
	return arg;
}

static void run_children(long nr, long ms)
{
	for (; nr > 0; nr--) {
		pid_t child = fork();

		if (!child) {
			burn_here(ms);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	print_used(RUSAGE_CHILDREN);
}

static void run_vforked(long nr, long ms)
{
	static char text[32];

	snprintf(text, sizeof(text), "%ld", ms);
	for (volatile long i = 0; i < nr; i++) {
		pid_t child = vfork();

		if (!child) {
			execl(self, "traced", "quiet", text, NULL);
			_exit(127);
		}
		waitpid(child, NULL, 0);
	}
	print_used(RUSAGE_CHILDREN);
}

static void run_threads(long nr)
{
	pthread_t *ids = calloc(nr + NR_SLEEPERS, sizeof(*ids));

	for (long i = 0; i < NR_SLEEPERS; i++)
		pthread_create(&ids[nr + i], NULL, sleep_in_thread, NULL);
	for (long i = 0; i < nr; i++)
		pthread_create(&ids[i], NULL, burn_in_thread, NULL);
	for (long i = 0; i < nr; i++)
		pthread_join(ids[i], NULL);
	free(ids);
	print_used(RUSAGE_SELF);
}

static int run_library(const char *file)
{
	void *library;
	void (*function)(void);

	BURN_MS(300);
	library = dlopen(file, RTLD_NOW);
	function = library ? (void (*)(void))dlsym(library, "plugged") : NULL;
	if (!function)
		return 1;
	function();
	return 0;
}

static void count_signal(int sig)
{
	if (sig == SIGUSR1)
		nr_user++;
	else
		nr_alarm++;
}

/* Children end while signals are handled; each must be heard of. */
static int run_signals(long nr)
{
	const struct itimerval often = {{0, 3000}, {0, 3000}}, never = {{0, 0}, {0, 0}};
	struct sigaction action;
	long nr_ended = 0;

	memset(&action, 0, sizeof(action));
	action.sa_handler = count_signal;
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (long i = 0; i < nr; i++) {
		pid_t child = i % 10 ? 0 : fork();

		if (!child && i % 10 == 0)
			_exit(7);
		kill(getpid(), SIGUSR1);
		BURN_MS(1);
		if (child > 0) {
			int status;

			nr_ended += waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7;
		}
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%d %ld %s\n", (int)nr_user, nr_ended, nr_alarm > nr / 6 ? "alarms" : "no alarms");
	return 0;
}

/* The end of a child is a signal, which is ignored. */
static bool is_cut_by_child(int fd)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	struct epoll_event event;
	pid_t child = fork();
	bool is_cut;

	if (!child) {
		nanosleep(&moment, NULL);
		_exit(0);
	}
	is_cut = epoll_wait(fd, &event, 1, 20) < 0;
	waitpid(child, NULL, 0);
	return is_cut;
}

static void run_calls(long ms)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	struct epoll_event event;
	int fd = epoll_create1(0);
	long nr_cut = 0;

	for (long i = 0; i < ms; i++) {
		for (volatile int j = 0; j < 100000; j++)
			;
		if (epoll_wait(fd, &event, 1, 1) < 0)
			nr_cut++;
		if (i % 8 == 0 && nanosleep(&moment, NULL))
			nr_cut++;
		if (i % 40 == 0)
			nr_cut += is_cut_by_child(fd);
	}
	printf("%ld\n", nr_cut);
}

int main(int argc, char **argv)
{
	const char *act = argc > 2 ? argv[1] : "";
	long nr = argc > 2 ? atol(argv[2]) : 0, ms = argc > 3 ? atol(argv[3]) : 0;
	pthread_t thread;

	self = argv[0];
	burn_for = ms ? ms : nr;
	if (!strcmp(act, "quiet")) {
		burn_here(nr);
	} else if (!strcmp(act, "burn")) {
		burn_here(nr);
		print_used(RUSAGE_SELF);
	} else if (!strcmp(act, "children")) {
		run_children(nr, ms);
	} else if (!strcmp(act, "vfork")) {
		run_vforked(nr, ms);
	} else if (!strcmp(act, "exec")) {
		pthread_create(&thread, NULL, exec_in_thread, NULL);
		pause();
	} else if (!strcmp(act, "threads")) {
		run_threads(nr);
	} else if (!strcmp(act, "load")) {
		return run_library(argv[2]);
	} else if (!strcmp(act, "signals")) {
		return run_signals(nr);
	} else if (!strcmp(act, "calls")) {
		run_calls(nr);
	} else if (!strcmp(act, "die")) {
		kill(getpid(), nr);
	} else {
		return 2;
	}
	return 0;
}
