// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When record/sampling/ptrace/ptrace_source.c looks at a thread, and when it has the thread stop.
 */
#include <sys/syscall.h>

#include "tests/unit/traced.h"

/* A sample is due when the thread has used a period, not before, and once. */
START_TEST(a_period_of_time)
{
	look();
	runs_for(10, PERIOD_NS - 1);
	look();
	ck_assert_played("");
	runs_for(10, 1);
	look();
	ck_assert_played("interrupt 10\n");
	look();
	ck_assert_played("");
	played_find(10)->regs.rip = 0x1234;
	played_find(10)->regs.fs_base = 0x5678;
	played_find(10)->cpu = 0;
	strcpy(played_find(10)->comm, "name");
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("code 10 anew\nsample 10\ncont 10\n");
	ck_assert_uint_eq(sample.regs.rip, 0x1234);
	ck_assert_uint_eq(sample.regs.fs_base, 0x5678);
	ck_assert_str_eq(sample.comm, "name");
	ck_assert(sample.memory.is_stopped);
	ck_assert(sample.has_thread_pointer);
	ck_assert_uint_le(sample.time_ns, clock_monotonic_ns());
	ck_assert_uint_eq(sampled.pid, 10);
	ck_assert_uint_eq(sampled.cgroup, 4711);
	ck_assert_uint_eq(sampled.exec_pages, 1);
	look();
	ck_assert_played("");
	runs_for(10, PERIOD_NS - 1);
	look();
	ck_assert_played("");
	runs_for(10, 1);
	look();
	ck_assert_played("interrupt 10\n");
}
END_TEST

START_TEST(the_cpu_of_a_sample)
{
	played_find(10)->cpu = 3;
	stop_for_sample(10);
	ck_assert_uint_eq(sample.cpu, 3);
}
END_TEST

/* A thread that owes a sample and sleeps is stopped when it is met running. */
START_TEST(a_thread_that_sleeps)
{
	played_find(10)->runs = false;
	runs_for(10, PERIOD_NS);
	look();
	ck_assert_played("");
	played_find(10)->runs = true;
	for (int i = 0; i < 4; i++) /* it has not run since, and is looked at more seldom */
		look();
	ck_assert_played("interrupt 10\n");
}
END_TEST

/* A thread that has not run since the last look is looked at every fourth time. */
START_TEST(idle_threads_are_looked_at_seldom)
{
	uint32_t before;

	look();
	before = played_find(10)->nr_reads;
	for (int i = 0; i < 12; i++)
		look();
	ck_assert_uint_eq(played_find(10)->nr_reads, before + 3);
	/* Its next turn finds that it runs again. */
	runs_for(10, 1);
	for (int i = 0; i < 4; i++)
		look();
	before = played_find(10)->nr_reads;
	for (int i = 0; i < 4; i++) {
		runs_for(10, 1);
		look();
	}
	ck_assert_uint_eq(played_find(10)->nr_reads, before + 4);
}
END_TEST

/* Code is looked at when there was a fault since, once the listener wants to, and after an exec. */
START_TEST(looks_at_code)
{
	is_cgroup_due = true;
	stop_for_sample(10);
	ck_assert_played("interrupt 10\ncgroup 10\ncode 10 anew\nsample 10\ncont 10\n");
	stop_for_sample(10);
	ck_assert_played("interrupt 10\nsample 10\ncont 10\n");
	played_find(10)->faults++;
	stop_for_sample(10);
	ck_assert_played("interrupt 10\ncode 10\nsample 10\ncont 10\n");
	ck_assert_uint_eq(sampled.exec_pages, 1);
	code->next_look_ns = UINT64_MAX;
	played_find(10)->faults++;
	stop_for_sample(10);
	ck_assert_played("interrupt 10\nsample 10\ncont 10\n");
	code->next_look_ns = 1;
	stop_for_sample(10);
	ck_assert_played("interrupt 10\ncode 10\nsample 10\ncont 10\n");
	stop_for_sample(10);
	ck_assert_played("interrupt 10\nsample 10\ncont 10\n");
	code->next_look_ns = UINT64_MAX;
	played_find(10)->message = 10;
	played_stops(10, PTRACE_EVENT_EXEC, SIGTRAP);
	take();
	ck_assert_played("exec 10\ncode 10 anew\ncont 10\n");
	stop_for_sample(10);
	ck_assert_played("interrupt 10\ncgroup 10\nsample 10\ncont 10\n");
}
END_TEST

/* What it owes at its end, a new thread owes. */
START_TEST(a_debt_that_is_left)
{
	played_add(10, 12);
	played_stops(12, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	runs_for(12, PERIOD_NS - 5);
	played_stops(12, PTRACE_EVENT_EXIT, SIGTRAP);
	take();
	played_add(10, 11)->runs = true;
	played_stops(11, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	played_log[0] = '\0';
	runs_for(11, 4);
	look();
	ck_assert_played("");
	runs_for(11, 1);
	look();
	ck_assert_played("interrupt 11\n");
}
END_TEST

/* What cannot be sampled any more counts as lost, all but one period. */
START_TEST(periods_that_are_lost)
{
	played_find(10)->runs = false;
	played_find(10)->cpu = 2;
	runs_for(10, 10 * PERIOD_NS - 1);
	look();
	ck_assert_played("");
	runs_for(10, 1);
	look();
	ck_assert_played("lose 2 9\n");
	played_find(10)->runs = true;
	runs_for(10, PERIOD_NS - 1);
	look();
	ck_assert_played("interrupt 10\n");
	for (int i = 0; i < 2; i++) {
		played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
		take();
		look();
	}
	ck_assert_played("code 10 anew\nsample 10\ncont 10\n"
			 "cont 10\n");
}
END_TEST

/* Where periods are long, fewer than four of them are not lost. */
START_TEST(long_periods)
{
	end();
	create(10, 0);
	played_add(10, 10);
	trace(10);
	runs_for(10, 4 * (NS_PER_S / 10) - 1);
	look();
	ck_assert_played("");
	runs_for(10, 1);
	look();
	ck_assert_played("lose 0 3\n");
}
END_TEST

/* So are debts that no new thread takes over. */
START_TEST(debts_that_nobody_takes)
{
	runs_for(10, 10 * PERIOD_NS);
	played_stops(10, PTRACE_EVENT_EXIT, SIGTRAP);
	take();
	look();
	ck_assert_played("cont 10\nlose 0 9\n");
}
END_TEST

/* The next look is after a period, an eighth of it earlier or later. Debts halve the period. */
START_TEST(when_to_look)
{
	runs_for(10, 1);
	look();
	timer_is(PERIOD_NS - PERIOD_NS / 8);
	runs_for(10, 2 * PERIOD_NS - 3);
	played_find(10)->runs = false;
	lot = 2 * (PERIOD_NS / 8);
	look();
	timer_is(PERIOD_NS + PERIOD_NS / 8);
	lot++;
	runs_for(10, 1);
	look();
	timer_is(PERIOD_NS - PERIOD_NS / 8);
	lot = 0;
	runs_for(10, 1);
	look();
	timer_is(PERIOD_NS / 2 - PERIOD_NS / 16);
	/* The thread ends: its debts are left, and it is as much behind. */
	played_stops(10, PTRACE_EVENT_EXIT, SIGTRAP);
	take();
	look();
	timer_is(PERIOD_NS / 2 - PERIOD_NS / 16);
}
END_TEST

START_TEST(slow_samples)
{
	end();
	create(1, 0);
	played_add(10, 10);
	lot = 2 * (NS_PER_S / 8);
	trace(10);
	timer_is(NS_PER_S + NS_PER_S / 8);
}
END_TEST

/*
 * At first a thread owes a part of a period, by lot. What it ran for until the start is not owed.
 */
START_TEST(the_first_period)
{
	lot = PERIOD_NS - 7;
	played_add(20, 20)->runs = true;
	runs_for(20, 5);
	ck_assert_int_eq(ptrace_source_add(source, 20, false, false, &err), 0);
	runs_for(20, 1000);
	ck_assert_int_eq(ptrace_source_start(source, &err), 0);
	played_log[0] = '\0';
	runs_for(20, 6);
	look();
	ck_assert_played("");
	runs_for(20, 1);
	look();
	ck_assert_played("interrupt 20\n");
}
END_TEST

/* It has used this time, and stops for its sample at the end of a system call. */
static void stop_in_a_call(uint64_t user_ticks, uint64_t kernel_ticks)
{
	struct played_thread *t = played_find(10);

	t->ticks = (struct thread_ticks){user_ticks, kernel_ticks};
	t->regs = (struct user_regs_struct){.rip = 0x1234, .cs = 0x33, .orig_rax = SYS_getrusage};
	stop_for_sample(10);
}

/* A thread that is never in the kernel has begun its call after it was asked. */
START_TEST(a_stop_in_a_later_call)
{
	nr_pauses = 0;
	stop_in_a_call(10, 0);
	ck_assert_played("interrupt 10\ncont 10\ninterrupt 10\n");
	ck_assert_uint_eq(nr_pauses, 1);
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("cont 10\ninterrupt 10\ncont 10\ninterrupt 10\n");
	/* The fourth stop is taken. */
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("code 10 anew\nsample 10\ncont 10\n");
	/* The next sample is asked for as often. */
	stop_in_a_call(10, 0);
	ck_assert_played("interrupt 10\ncont 10\ninterrupt 10\n");
	played_find(10)->regs.orig_rax = -1;
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("sample 10\ncont 10\n");
}
END_TEST

/* Of a thread that is in the kernel for a third of its time, so are a third of the samples. */
START_TEST(stops_in_calls_that_take_time)
{
	uint32_t nr_again = 0;

	for (int i = 0; i < 30; i++) {
		stop_in_a_call(200, 100);
		if (!strstr(played_log, "sample")) {
			nr_again++;
			played_find(10)->regs.orig_rax = -1;
			played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
			take();
		}
		ck_assert_ptr_nonnull(strstr(played_log, "sample 10\n"));
		played_log[0] = '\0';
	}
	ck_assert_uint_eq(nr_again, 20);
}
END_TEST

/* The handler of a signal begins. The time in the kernel tells nothing of that. */
START_TEST(a_stop_at_a_handler)
{
	struct played_thread *t = played_find(10);

	t->ticks = (struct thread_ticks){0, 10};
	t->regs = (struct user_regs_struct){
		.rdi = SIGUSR1, .rsp = 0x1000, .rdx = 0x1008, .orig_rax = -1};
	stop_for_sample(10);
	ck_assert_played("interrupt 10\ncont 10\ninterrupt 10\n");
}
END_TEST

/* A thread that goes on in this turn has not run yet. It is asked a moment later, if it runs. */
START_TEST(a_thread_that_was_just_let_go)
{
	nr_pauses = 0;
	for (int i = 0; i < 2; i++) {
		sleeps_in_pause = i ? 10 : 0;
		runs_for(10, PERIOD_NS);
		played_stops(10, 0, SIGUSR1);
		look();
		ck_assert_played(i ? "cont 10 10\n" : "cont 10 10\ninterrupt 10\n");
		ck_assert_uint_eq(nr_pauses, 1 + i);
	}
	sleeps_in_pause = 0;
}
END_TEST

SUITE_MAIN_WITH("stop_times", begin, end, a_period_of_time, the_cpu_of_a_sample,
		a_thread_that_sleeps, idle_threads_are_looked_at_seldom, looks_at_code,
		a_debt_that_is_left, periods_that_are_lost, long_periods, debts_that_nobody_takes,
		when_to_look, slow_samples, the_first_period, a_stop_in_a_later_call,
		stops_in_calls_that_take_time, a_stop_at_a_handler, a_thread_that_was_just_let_go)
