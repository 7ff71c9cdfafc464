// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waits in three places, and says for how many nanoseconds in each, and for how many of them at
 * most it computed, waited for a CPU, or lacked one that the hypervisor took:
 *
 *	waits             then ends
 *	waits forever     then says so, and waits in wait_forever until it is killed
 *	waits until FILE  in place of this, sends bytes between two threads until FILE is there
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 5

static int ends[2];
static uint32_t futex_word;
/* The compiler must not make the last call of a function a jump. */
static volatile long result;

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

__attribute__((noinline)) void wait_sleeping(void)
{
	const struct timespec pause = {.tv_nsec = 120000000};

	result = nanosleep(&pause, NULL);
}

__attribute__((noinline)) void wait_for_pipe(void)
{
	char byte;

	result = read(ends[0], &byte, 1);
}

__attribute__((noinline)) void wait_for_futex(void)
{
	const struct timespec timeout = {.tv_nsec = 180000000};

	result = syscall(SYS_futex, &futex_word, FUTEX_WAIT, 0, &timeout, NULL, 0);
}

__attribute__((noinline)) void wait_forever(void)
{
	result = pause();
}

static void *write_bytes(void *arg)
{
	const struct timespec pause = {.tv_nsec = 60000000};

	for (int i = 0; i < ROUNDS; i++) {
		nanosleep(&pause, NULL);
		result = write(ends[1], "", 1);
	}
	return arg;
}

/*
 * Nanoseconds that the thread has computed or waited for a CPU; 0: the kernel does not count them.
 */
static uint64_t runnable_ns(void)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "r");
	uint64_t computed = 0, waited = 0;

	if (f && fscanf(f, "%lu %lu", &computed, &waited) != 2)
		computed = waited = 0;
	if (f)
		fclose(f);
	return computed + waited;
}

/* Ticks of the clock for which the hypervisor took the CPUs: proc(5), "steal". */
static uint64_t stolen_ticks(void)
{
	FILE *f = fopen("/proc/stat", "r");
	uint64_t ticks = 0;

	if (f && fscanf(f, "cpu %*u %*u %*u %*u %*u %*u %*u %lu", &ticks) != 1)
		ticks = 0;
	if (f)
		fclose(f);
	return ticks;
}

static void say_time_of(const char *name, void (*function)(void))
{
	uint64_t stolen = stolen_ticks(), runnable = runnable_ns(), begin_ns = now_ns(), ns;

	for (int i = 0; i < ROUNDS; i++)
		function();
	ns = now_ns() - begin_ns;
	runnable = runnable_ns() - runnable;
	stolen = stolen_ticks() - stolen;
	/* The kernel rounds to ticks. */
	if (stolen)
		runnable += (stolen + 1) * UINT64_C(1000000000) / sysconf(_SC_CLK_TCK);
	printf("%s %lu %lu\n", name, ns, runnable);
}

static int there[2], back[2];

static void *send_back(void *arg)
{
	char byte;

	while (read(there[0], &byte, 1) == 1)
		result = write(back[1], &byte, 1);
	return arg;
}

__attribute__((noinline)) void wait_often(void)
{
	char byte;

	for (int i = 0; i < 20000; i++) {
		result = write(there[1], "", 1);
		result = read(back[0], &byte, 1);
	}
}

static int wait_until(const char *path)
{
	pthread_t thread;
	bool is_last;

	if (pipe(there) || pipe(back) || pthread_create(&thread, NULL, send_back, NULL))
		return 1;
	do {
		is_last = !access(path, F_OK);
		wait_often();
	} while (!is_last);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t writer;

	if (argc > 2 && !strcmp(argv[1], "until"))
		return wait_until(argv[2]);
	if (pipe(ends) || pthread_create(&writer, NULL, write_bytes, NULL))
		return 1;
	say_time_of("wait_for_pipe", wait_for_pipe);
	pthread_join(writer, NULL);
	say_time_of("wait_sleeping", wait_sleeping);
	say_time_of("wait_for_futex", wait_for_futex);
	fflush(stdout);
	if (argc > 1)
		wait_forever();
	return 0;
}
