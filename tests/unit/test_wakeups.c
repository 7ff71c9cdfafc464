// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "record/host/wakeups.h"
#include "tests/unit/suite.h"

#define FOREVER UINT64_MAX /* the event is there or comes */

static struct wakeups wakeups;
static struct err err;
static int fds[2];

static void begin(void)
{
	wakeups_block_signals();
	ck_assert_int_eq(wakeups_init(&wakeups, &err), 0);
	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
}

static void end(void)
{
	wakeups_deinit(&wakeups);
	close(fds[0]);
	close(fds[1]);
}

START_TEST(signals)
{
	static const struct {
		int signal, bit;
	} cases[] = {{SIGINT, WAKEUP_STOP},
		     {SIGTERM, WAKEUP_STOP},
		     {SIGUSR1, WAKEUP_FLUSH},
		     {SIGHUP, WAKEUP_ROTATE}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert_int_eq(raise(cases[i].signal), 0);
		ck_assert_int_eq(wakeups_wait(&wakeups, FOREVER, &err), cases[i].bit);
	}
	ck_assert_int_eq(wakeups_wait(&wakeups, 0, &err), 0);
}
END_TEST

START_TEST(signals_come_together)
{
	raise(SIGINT);
	raise(SIGHUP);
	raise(SIGUSR1);
	ck_assert_int_eq(wakeups_wait(&wakeups, FOREVER, &err),
			 WAKEUP_STOP | WAKEUP_ROTATE | WAKEUP_FLUSH);
	ck_assert_int_eq(wakeups_wait(&wakeups, 0, &err), 0);
}
END_TEST

START_TEST(a_child_ends)
{
	pid_t child = fork();

	if (!child)
		_exit(0);
	ck_assert_int_eq(wakeups_wait(&wakeups, FOREVER, &err), WAKEUP_CHILD);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
}
END_TEST

/* The bit of a descriptor is there until somebody reads the descriptor. */
START_TEST(the_watermark)
{
	char c;

	ck_assert_int_eq(wakeups_watch_watermark(&wakeups, fds[0], &err), 0);
	ck_assert_int_eq(wakeups_wait(&wakeups, 0, &err), 0);
	ck_assert_int_eq(write(fds[1], "x", 1), 1);
	ck_assert_int_eq(wakeups_wait(&wakeups, FOREVER, &err), WAKEUP_WATERMARK);
	raise(SIGTERM);
	ck_assert_int_eq(wakeups_wait(&wakeups, FOREVER, &err), WAKEUP_WATERMARK | WAKEUP_STOP);
	ck_assert_int_eq(read(fds[0], &c, 1), 1);
	ck_assert_int_eq(wakeups_wait(&wakeups, 0, &err), 0);
}
END_TEST

START_TEST(a_descriptor_without_a_bit)
{
	ck_assert_int_eq(wakeups_watch(&wakeups, fds[0], &err), 0);
	ck_assert_int_eq(write(fds[1], "x", 1), 1);
	ck_assert_int_eq(wakeups_wait(&wakeups, FOREVER, &err), 0);
}
END_TEST

START_TEST(a_descriptor_that_cannot_be_watched)
{
	ck_assert_int_lt(wakeups_watch(&wakeups, -1, &err), 0);
	ck_assert_str_eq(err.text, "failed to watch for events: Bad file descriptor");
}
END_TEST

/* What comes all the time is waited for in pauses; the first two times, nobody can know. */
START_TEST(frequent_events_wait_for_the_pause)
{
	const uint64_t pause_ns = 5 * NS_PER_MS;
	uint64_t first_ns = 0;

	wakeups.pause_ns = pause_ns;
	ck_assert_int_eq(wakeups_watch_watermark(&wakeups, fds[0], &err), 0);
	ck_assert_int_eq(write(fds[1], "x", 1), 1);
	for (int i = 0; i < 8; i++) {
		ck_assert_int_eq(wakeups_wait(&wakeups, FOREVER, &err), WAKEUP_WATERMARK);
		if (!first_ns)
			first_ns = clock_monotonic_ns();
		/* As if this one followed the one before at once, also on a busy machine. */
		wakeups.is_often = i > 0;
	}
	ck_assert_uint_ge(clock_monotonic_ns() - first_ns, 6 * pause_ns - NS_PER_MS);
	wakeups.woken_ns = 0;
	ck_assert_int_eq(wakeups_wait(&wakeups, FOREVER, &err), WAKEUP_WATERMARK);
	ck_assert(!wakeups.is_often);
}
END_TEST

static void fill_pipe(void)
{
	char page[PIPE_BUF] = "";

	ck_assert_int_eq(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	while (write(fds[1], page, sizeof(page)) > 0)
		;
}

static int wait_writable(uint64_t timeout_ns)
{
	return wakeups_wait_for(&wakeups, (struct pollfd){.fd = fds[1], .events = POLLOUT},
				timeout_ns, &err);
}

START_TEST(a_pipe_takes_bytes)
{
	/* The signal is for later. */
	raise(SIGTERM);
	ck_assert_int_eq(wait_writable(FOREVER), WAKEUP_READY);
	fill_pipe();
	ck_assert_int_eq(wait_writable(FOREVER), WAKEUP_STOP);
	ck_assert_int_eq(wait_writable(0), 0);
}
END_TEST

START_TEST(nobody_reads_the_pipe)
{
	fill_pipe();
	close(fds[0]);
	ck_assert_int_eq(wait_writable(FOREVER), WAKEUP_READY);
	/* The write then fails instead of killing the recorder. */
	ck_assert_int_eq(write(fds[1], "x", 1), -1);
	fds[0] = dup(fds[1]);
}
END_TEST

SUITE_MAIN_WITH("wakeups", begin, end, signals, signals_come_together, a_child_ends, the_watermark,
		a_descriptor_without_a_bit, a_descriptor_that_cannot_be_watched,
		frequent_events_wait_for_the_pause, a_pipe_takes_bytes, nobody_reads_the_pipe)
