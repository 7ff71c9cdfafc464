// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's text about a thread's CPU time is in a file of the test. */
#include "record/sampling/ptrace/thread_debts.h"

#include <stdio.h>
#include <sys/mman.h>

#include "tests/unit/suite.h"

#define PERIOD_NS 1000

static struct thread_debts debts;
static struct target_thread thread;

static void begin(void)
{
	debts = (struct thread_debts){.period_ns = PERIOD_NS};
	thread = (struct target_thread){.stat_fd = memfd_create("schedstat", MFD_CLOEXEC)};
	ck_assert_int_ge(thread.stat_fd, 0);
}

static void end(void)
{
	close(thread.stat_fd);
}

/*
 * The thread has run for @ns by now: /proc/PID/task/TID/schedstat has that, the wait and a number.
 */
static void has_run(uint64_t ns)
{
	char text[64];
	int nr = snprintf(text, sizeof(text), "%llu 77 5\n", (unsigned long long)ns);

	ck_assert_int_eq(ftruncate(thread.stat_fd, 0), 0);
	ck_assert_int_eq(pwrite(thread.stat_fd, text, nr, 0), nr);
}

/* It owes what it has run since, beside a part of the first period. */
START_TEST(a_thread_from_before)
{
	uint64_t first;

	has_run(5000);
	thread_debts_begin(&debts, &thread);
	first = thread.owed_ns;
	ck_assert_uint_lt(first, PERIOD_NS);
	has_run(5000 + 2500);
	thread_debts_count(&thread);
	ck_assert_uint_eq(thread.owed_ns, first + 2500);
	ck_assert(!thread.is_idle);
	thread_debts_count(&thread);
	ck_assert_uint_eq(thread.owed_ns, first + 2500);
	ck_assert(thread.is_idle);
}
END_TEST

START_TEST(a_new_thread)
{
	thread_debts_begin_new(&debts, &thread);
	ck_assert_uint_eq(thread.owed_ns, 0);
	has_run(300);
	thread_debts_count(&thread);
	ck_assert_uint_eq(thread.owed_ns, 300);
}
END_TEST

/* Times that go back are none. */
START_TEST(time_that_goes_back)
{
	has_run(5000);
	thread_debts_begin(&debts, &thread);
	thread.owed_ns = 0;
	has_run(4000);
	thread_debts_count(&thread);
	ck_assert_uint_eq(thread.owed_ns, 0);
	has_run(4100);
	thread_debts_count(&thread);
	ck_assert_uint_eq(thread.owed_ns, 100);
}
END_TEST

START_TEST(a_sample_pays_a_period)
{
	thread.owed_ns = 2 * PERIOD_NS + 1;
	thread_debts_pay(&debts, &thread);
	ck_assert_uint_eq(thread.owed_ns, PERIOD_NS + 1);
	thread_debts_pay(&debts, &thread);
	thread_debts_pay(&debts, &thread);
	ck_assert_uint_eq(thread.owed_ns, 0);
}
END_TEST

/*
 * What threads that end owe goes to those that begin, a period each at most, and no more than that.
 */
START_TEST(threads_that_end)
{
	for (int i = 0; i < 3; i++) {
		thread.owed_ns = 900;
		thread_debts_leave(&debts, &thread);
		ck_assert_uint_eq(thread.owed_ns, 0);
	}
	for (uint64_t left = 2700; left;) {
		uint64_t part = left < PERIOD_NS ? left : PERIOD_NS;

		ck_assert_uint_eq(debts.left_ns, left);
		thread_debts_begin_new(&debts, &thread);
		ck_assert_uint_eq(thread.owed_ns, part);
		left -= part;
	}
	ck_assert_uint_eq(debts.left_ns, 0);
}
END_TEST

/*
 * A thread from before leaves whole periods: its lot and its time add up to one more as often as
 * its time has the rest of one.
 */
START_TEST(the_end_of_a_thread_from_before)
{
	thread_debts_begin(&debts, &thread);
	thread.owed_ns = 3 * PERIOD_NS - 1;
	thread_debts_leave(&debts, &thread);
	ck_assert_uint_eq(debts.left_ns, 2 * PERIOD_NS);
	ck_assert_uint_eq(thread.owed_ns, 0);
}
END_TEST

SUITE_MAIN_WITH("thread_debts", begin, end, a_thread_from_before, a_new_thread, time_that_goes_back,
		a_sample_pays_a_period, threads_that_end, the_end_of_a_thread_from_before)
