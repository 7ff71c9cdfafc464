// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples by perf events of threads that are stopped for them (record/sampling/perf/perf_source.c).
 */
#include <sys/syscall.h>

#include "tests/unit/made_records.h"

/* A thread of an interpreted language is sampled when it stops. */
START_TEST(a_stop)
{
	stopped_pid = 10;
	next.nr_frames = 2;
	next.misc = PERF_RECORD_MISC_KERNEL;
	played_find(10)->regs = (struct user_regs_struct){.rip = 0x1234, .rsp = STACK, .cs = 0x33};
	put_sample(0, 1, 10, 10);
	take();
	ck_assert_played("seize 10\ninterrupt 10\n");
	/* It has another name by then. */
	put_name(2, 10, 10, "later");
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("sample 10\ndetach 10\n");
	ck_assert_str_eq(sample.comm, "later");
	ck_assert_uint_gt(sample.time_ns, 2);
	ck_assert_uint_eq(sample.cpu, 1);
	ck_assert(sample.memory.is_stopped);
	ck_assert(sample.has_thread_pointer);
	ck_assert_uint_eq(registers_ip(&sample.regs), 0x1234);
	ck_assert_uint_eq(sample.nr_kernel_frames, 2);
	ck_assert_uint_eq(sample_frames[1], 0xffff0001);
	take();
	ck_assert_played("");
}
END_TEST

/* A thread that has gone on meanwhile is elsewhere in the kernel. */
START_TEST(a_stop_elsewhere)
{
	stopped_pid = 10;
	next.nr_frames = 2;
	next.misc = PERF_RECORD_MISC_KERNEL;
	for (int i = 0; i < 2; i++) {
		played_find(10)->regs = (struct user_regs_struct){
			.rip = i ? 0x1234 : 0x1235, .rsp = i ? STACK - 8 : STACK, .cs = 0x33};
		put_sample(0, 1, 10, 10);
		played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
		take(); /* a second turn is for what the first one has asked for */
		ck_assert_played("seize 10\ninterrupt 10\nsample 10\ndetach 10\n");
		ck_assert_uint_eq(sample.nr_kernel_frames, 0);
		ck_assert_uint_eq(registers_ip(&sample.regs), played_find(10)->regs.rip);
	}
}
END_TEST

/* Registers of a thread that is on its way out of a system call. */
static struct user_regs_struct left_call(void)
{
	return (struct user_regs_struct){
		.rip = 0x1235, .rsp = STACK, .cs = 0x33, .orig_rax = SYS_getrusage};
}

/*
 * A thread that was in user space, and stops where a system call returns, is asked again. So is one
 * that a signal has come to, or whose handler begins.
 */
START_TEST(a_stop_in_a_later_call)
{
	stopped_pid = 10;
	played_find(10)->regs = left_call();
	put_sample(1, 1, 10, 10);
	take();
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("seize 10\ninterrupt 10\ndetach 10\nseize 10\ninterrupt 10\n");
	put_sample(1, 2, 10, 10);
	take();
	ck_assert_played("lose 2 1\n");
	played_stops(10, 0, SIGUSR1);
	take();
	ck_assert_played("detach 10 10\nseize 10\ninterrupt 10\n");
	played_find(10)->regs = (struct user_regs_struct){
		.cs = 0x33, .rdi = SIGUSR1, .rdx = STACK + 8, .rsp = STACK, .orig_rax = -1};
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("detach 10\nseize 10\ninterrupt 10\n");
	played_find(10)->regs.rsp -= 8;
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("sample 10\ndetach 10\n");
	take();
	ck_assert_played("");
}
END_TEST

/* The sample was in the kernel, or the thread waits in its call. */
START_TEST(a_stop_in_a_call_of_its_own)
{
	stopped_pid = 10;
	for (int i = 0; i < 2; i++) {
		played_find(10)->regs = left_call();
		if (i)
			played_find(10)->regs.rax = (uint64_t)-EINTR;
		next.misc = i ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
		put_sample(1, 1 + i, 10, 10);
		played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
		take();
		ck_assert_played("seize 10\ninterrupt 10\nsample 10\ndetach 10\n");
	}
}
END_TEST

/* The eighth stop is taken, wherever it is. */
START_TEST(stops_in_calls_without_end)
{
	stopped_pid = 10;
	played_find(10)->regs = left_call();
	put_sample(1, 1, 10, 10);
	take();
	for (int i = 1; i < 8; i++) {
		played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
		take();
		ck_assert_played(
			i == 1 ? "seize 10\ninterrupt 10\ndetach 10\nseize 10\ninterrupt 10\n"
			       : "detach 10\nseize 10\ninterrupt 10\n");
	}
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("sample 10\ndetach 10\n");
}
END_TEST

/* The thread is killed before it is let go, ends after that, or the recording ends. */
START_TEST(stops_that_are_not_asked_again)
{
	stopped_pid = 10;
	for (uint32_t tid = 10; tid < 13; tid++) {
		if (tid > 10)
			played_add(10, tid);
		played_find(tid)->regs = left_call();
		put_sample(1, 1, 10, tid);
	}
	take();
	ck_assert_played("seize 10\ninterrupt 10\nseize 11\ninterrupt 11\n"
			 "seize 12\ninterrupt 12\n");
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	played_find(10)->error_of_detach = -ESRCH;
	played_happens(10, CLD_KILLED, SIGKILL);
	played_stops(11, PTRACE_EVENT_STOP, SIGTRAP);
	played_find(11)->error_of_seize = -ESRCH;
	take();
	ck_assert_played("detach 10\ndetach 11\nreap 10\nlose 2 1\nseize 11\nlose 2 1\n");
	played_stops(12, PTRACE_EVENT_STOP, SIGTRAP);
	perf_source_stop(source);
	ck_assert_played("sample 12\ndetach 12\n");
}
END_TEST

/* A second sample before the stop is lost. That of another thread has a stop of its own. */
START_TEST(samples_before_the_stop)
{
	stopped_pid = 10;
	played_add(10, 11);
	put_sample(1, 1, 10, 10);
	put_sample(1, 2, 10, 10);
	put_sample(1, 3, 10, 11);
	take();
	ck_assert_played("seize 10\ninterrupt 10\nlose 2 1\nseize 11\ninterrupt 11\n");
	played_stops(11, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("sample 11\ndetach 11\n");
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("sample 10\ndetach 10\n");
}
END_TEST

/* A thread that ends in place of the stop. */
START_TEST(stops_that_do_not_come)
{
	stopped_pid = 10;
	put_sample(1, 1, 10, 10);
	take();
	played_happens(10, CLD_KILLED, SIGKILL);
	take();
	ck_assert_played("seize 10\ninterrupt 10\nreap 10\nlose 2 1\n");
	take();
	ck_assert_played("");
}
END_TEST

/* Between stop and sample the kernel tells that the thread has ended: there is no one to sample. */
START_TEST(a_stop_of_no_one)
{
	stopped_pid = 10;
	put_sample(1, 1, 10, 10);
	take();
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	put_exit(2, 10, 10);
	take();
	ck_assert_played("seize 10\ninterrupt 10\nexit 10 of 1\nlose 2 1\ndetach 10\n");
}
END_TEST

/* The thread is killed while it is stopped: its sample is taken, and its end is waited for. */
START_TEST(a_stop_that_is_killed)
{
	stopped_pid = 10;
	put_sample(1, 1, 10, 10);
	take();
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	played_happens(10, CLD_KILLED, SIGKILL);
	played_find(10)->error_of_detach = -ESRCH;
	take();
	ck_assert_played("seize 10\ninterrupt 10\nsample 10\ndetach 10\nreap 10\n");
	take();
	ck_assert_played("");
}
END_TEST

/* A thread calls exec before it stops: it stops as the process, and has no sample. */
START_TEST(a_stop_in_an_exec)
{
	stopped_pid = 10;
	played_add(10, 11);
	put_sample(1, 1, 10, 11);
	take();
	played_remove(11);
	take();
	ck_assert_played("seize 11\ninterrupt 11\nlose 2 1\n");
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("detach 10\n");
	take();
	ck_assert_played("");
}
END_TEST

/* The end of the command is its parent's to see. */
START_TEST(the_end_of_the_command)
{
	end();
	create((struct source_options){.freq_hz = 1000, .command_pid = 10});
	add(10);
	stopped_pid = 10;
	put_sample(1, 1, 10, 10);
	take();
	played_happens(10, CLD_KILLED, SIGKILL);
	take();
	ck_assert_played("seize 10\ninterrupt 10\nlose 2 1\n");
}
END_TEST

/* A stack that was larger than its copy: the next sample of the process stops for it. */
START_TEST(large_stacks)
{
	sample_wants.more_stack = true;
	put_sample(0, 1, 10, 10);
	take();
	sample_wants.more_stack = false;
	ck_assert_played("sample 10\n");
	put_sample(0, 2, 10, 10);
	put_sample(0, 2, 20, 20);
	take();
	ck_assert_played("seize 10\ninterrupt 10\nsample 20\n");
	/* A new program may have a small one. */
	put_exec(3, 10, "new");
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	put_sample(0, 4, 10, 10);
	take();
	ck_assert_played("exec 10 new\nsample 10\ndetach 10\nsample 10\n");
}
END_TEST

/* Threads that cannot be stopped, or need not be, are sampled as they are. */
START_TEST(samples_without_a_stop)
{
	stopped_pid = 10;
	next.cs = 0x23; /* 32-bit code */
	put_sample(0, 1, 10, 10);
	take();
	ck_assert_played("sample 10\n");
	next.cs = USER_CODE;
	played_find(10)->error = -ESRCH;
	put_sample(0, 2, 10, 10);
	take();
	ck_assert_played("seize 10\nsample 10\n");
	ck_assert_ptr_null(perf_source_lacks(source));
	played_find(10)->error = -EPERM;
	put_sample(0, 3, 10, 10);
	take();
	ck_assert_played("seize 10\nsample 10\n");
	ck_assert_str_eq(
		perf_source_lacks(source),
		"some samples have no functions of interpreted languages, or cut stacks: their processes may not be traced (ptrace)");
	/* Not after the end. */
	put_sample(0, 4, 10, 10);
	perf_source_stop(source);
	ck_assert_played("sample 10\n");
}
END_TEST

/* Where all processes are sampled, nobody's system calls are cut short. */
START_TEST(system_calls_of_others)
{
	end();
	create((struct source_options){.freq_hz = 1000, .all = true});
	add(10);
	stopped_pid = 10;
	put_sample(0, 1, 10, 10);
	take();
	ck_assert_played("seize 10\ninterrupt 10\n");
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("sample 10\ndetach 10\n");
	ck_assert_ptr_null(perf_source_lacks(source));
	next.misc = PERF_RECORD_MISC_KERNEL;
	put_sample(0, 2, 10, 10);
	take();
	ck_assert_played("sample 10\n");
	ck_assert_str_eq(
		perf_source_lacks(source),
		"samples in system calls have no functions of interpreted languages, and cut stacks: a stop of their threads would end the calls early; -p and -- COMMAND stop them");
}
END_TEST

/* At the end, threads that were asked to stop are let go. */
START_TEST(the_end_while_threads_stop)
{
	stopped_pid = 10;
	put_sample(0, 1, 10, 10);
	take();
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	perf_source_stop(source);
	ck_assert_played("seize 10\ninterrupt 10\nsample 10\ndetach 10\n");
	for (size_t i = 1; i < nr_made_events; i++)
		ck_assert_int_eq(made_events[i].nr_enables, 0);
}
END_TEST

SUITE_MAIN_WITH("perf_stops", begin, end, a_stop, a_stop_elsewhere, a_stop_in_a_later_call,
		a_stop_in_a_call_of_its_own, stops_in_calls_without_end,
		stops_that_are_not_asked_again, samples_before_the_stop, stops_that_do_not_come,
		a_stop_of_no_one, a_stop_that_is_killed, a_stop_in_an_exec, the_end_of_the_command,
		large_stacks, samples_without_a_stop, system_calls_of_others,
		the_end_while_threads_stop)
