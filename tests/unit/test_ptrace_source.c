// SPDX-License-Identifier: GPL-2.0-or-later
/* Stops of played threads, one after the other. */
#include "record/sampling/ptrace/ptrace_source.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "tests/unit/oom.h"
#include "tests/unit/traced.h"

/* The thread is killed before the request: it is not waited for. */
START_TEST(a_request_that_fails)
{
	runs_for(10, PERIOD_NS);
	played_find(10)->error = -ESRCH;
	look();
	played_find(10)->error = 0;
	runs_for(10, 1);
	look();
	ck_assert_played("interrupt 10\ninterrupt 10\n");
}
END_TEST

/* Killed while it is stopped: there is nothing to sample, and its end comes. */
START_TEST(killed_while_stopped)
{
	runs_for(10, PERIOD_NS);
	look();
	played_find(10)->error = -ESRCH;
	played_find(10)->runs = false;
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("interrupt 10\ncont 10\n");
	played_happens(10, CLD_KILLED, SIGKILL);
	for (int i = 0; i < REAP_LOOKS; i++)
		look();
	ck_assert_played("reap 10\nexit 10\n");
}
END_TEST

/* A stop that nobody has asked for, as after SIGCONT, is no sample. */
START_TEST(a_stop_that_was_not_asked_for)
{
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("cont 10\n");
	/* A system call that it has cut short is made again. */
	played_find(10)->regs = (struct user_regs_struct){
		.cs = 0x33, .orig_rax = SYS_recvfrom, .rax = (uint64_t)-EINTR};
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("write 10\ncont 10\n");
}
END_TEST

/* Signals are delivered. One takes the place of the stop, and the sample is asked for anew. */
START_TEST(signals_are_handed_on)
{
	runs_for(10, PERIOD_NS);
	look();
	played_stops(10, 0, SIGUSR1);
	played_stops(10, 0, SIGTRAP);
	take();
	ck_assert_played("interrupt 10\ncont 10 10\ncont 10 5\n");
	runs_for(10, 1);
	look();
	ck_assert_played("interrupt 10\n");
	/* Without a tracer, the end of a child would not have ended the call. */
	played_find(10)->regs = (struct user_regs_struct){
		.cs = 0x33, .orig_rax = SYS_recvfrom, .rax = (uint64_t)-EINTR};
	played_stops(10, 0, SIGCHLD);
	take();
	ck_assert_played("write 10\ncont 10 17\n");
}
END_TEST

/* Threads that job control has stopped stay so. */
START_TEST(job_control)
{
	static const int signals[] = {SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};

	for (uint32_t i = 0; i < ARRAY_SIZE(signals); i++) {
		uint32_t pid = 20 + i;

		played_add(pid, pid)->runs = true;
		trace(pid);
		runs_for(pid, PERIOD_NS);
		look();
		played_log[0] = '\0';
		played_stops(pid, PTRACE_EVENT_STOP, signals[i]);
		take();
		ck_assert_played(i == 0   ? "listen 20\n"
				 : i == 1 ? "listen 21\n"
				 : i == 2 ? "listen 22\n"
					  : "listen 23\n");
		runs_for(pid, PERIOD_NS);
		for (int j = 0; j < 4; j++)
			look();
		ck_assert_played("");
	}
	/* After SIGCONT a thread is as the others. */
	played_stops(20, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("cont 20\n");
	look();
	ck_assert_played("interrupt 20\n");
}
END_TEST

/* A child of the recorder that is not traced has stopped. Others after it are seen. */
START_TEST(stops_of_others)
{
	played_happens(99, CLD_STOPPED, SIGSTOP);
	played_stops(10, 0, SIGUSR1);
	take();
	ck_assert_played("cont 10 10\n");
}
END_TEST

/* Thread 30 stops again as soon as it is let go, and the kernel tells of it first. */
static int wait_in_storm(idtype_t type, uint32_t id, siginfo_t *info, int flags)
{
	if (type == P_PID)
		return played_ops.wait(type, id, info, flags);
	info->si_pid = 30;
	info->si_code = CLD_TRAPPED;
	info->si_status = SIGUSR1;
	return 0;
}

static int request_in_storm(int request, uint32_t tid, unsigned long data)
{
	return tid == 30 ? 0 : played_ops.request(request, tid, data);
}

START_TEST(a_storm_of_stops)
{
	struct tracee_ops storm = played_ops;

	storm.wait = wait_in_storm;
	storm.request = request_in_storm;
	played_add(30, 30);
	trace(30);
	tracee = &storm;
	played_stops(10, 0, SIGUSR2);
	take();
	ck_assert_played("cont 10 12\n");
	tracee = &played_ops;
}
END_TEST

/* A new thread owes all of its time. While it waits for its first turn it shows no sample. */
START_TEST(a_new_thread)
{
	struct played_thread *new = played_add(10, 11);

	new->runs = true;
	new->regs.rip = 0x1000;
	new->regs.rsp = 0x2000;
	played_find(10)->message = 11;
	played_stops(10, PTRACE_EVENT_CLONE, SIGTRAP);
	played_stops(11, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("cont 10\ncont 11\n");
	stop_for_sample(11);
	ck_assert_played("interrupt 11\ncont 11\n");
	new->regs.rip = 0x1004;
	runs_for(11, 1);
	look();
	played_stops(11, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("interrupt 11\ncode 10 anew\nsample 11\ncont 11\n");
	/* It was elsewhere meanwhile. */
	new->regs.rip = 0x1000;
	stop_for_sample(11);
	ck_assert_played("interrupt 11\nsample 11\ncont 11\n");
}
END_TEST

/* It has not moved, but its stack has. */
START_TEST(a_new_thread_that_has_called)
{
	played_add(10, 11)->runs = true;
	played_find(11)->regs = (struct user_regs_struct){.rip = 0x1000, .rsp = 0x2000};
	played_stops(11, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	played_find(11)->regs.rsp = 0x1ff8;
	stop_for_sample(11);
	ck_assert_played("cont 11\ninterrupt 11\ncode 10 anew\nsample 11\ncont 11\n");
}
END_TEST

/* A new process is told of, whichever of the two stops first. */
START_TEST(new_processes)
{
	static const int events[] = {PTRACE_EVENT_FORK, PTRACE_EVENT_VFORK, PTRACE_EVENT_CLONE};

	for (uint32_t i = 0; i < ARRAY_SIZE(events); i++) {
		uint32_t pid = 20 + i;

		played_add(pid, pid)->parent = 10;
		played_find(10)->message = pid;
		if (i == 1)
			played_stops(pid, PTRACE_EVENT_STOP, SIGTRAP);
		played_stops(10, events[i], SIGTRAP);
		if (i != 1)
			played_stops(pid, PTRACE_EVENT_STOP, SIGTRAP);
		take();
	}
	ck_assert_played("fork 20 of 10\ncont 10\ncont 20\n"
			 "fork 21 of 10\ncont 21\ncont 10\n"
			 "fork 22 of 10\ncont 10\ncont 22\n");
}
END_TEST

/* Descendants of a process that a filter follows are followed, and others are not. */
START_TEST(descendants)
{
	for (uint32_t pid = 20; pid <= 40; pid += 20) {
		struct played_thread *child = played_add(pid + 1, pid + 1);

		child->parent = pid;
		child->runs = true;
		played_add(pid, pid)->message = pid + 1;
		ck_assert_int_eq(ptrace_source_add(source, pid, false, pid == 20, &err), 0);
		played_stops(pid, PTRACE_EVENT_FORK, SIGTRAP);
		take();
		played_find(pid + 1)->regs.rip = 0x1000;
		played_stops(pid + 1, PTRACE_EVENT_STOP, SIGTRAP);
		take();
		played_find(pid + 1)->regs.rip = 0x1004;
		stop_for_sample(pid + 1);
		ck_assert_uint_eq(sampled.pid, pid + 1);
		ck_assert_int_eq(sampled.is_followed, pid == 20);
	}
}
END_TEST

/* Who has begun it is not told: the parent was killed. Or it was killed itself. */
START_TEST(new_threads_that_are_killed)
{
	played_find(10)->message = 11; /* there is none any more */
	played_stops(10, PTRACE_EVENT_CLONE, SIGTRAP);
	played_stops(12, PTRACE_EVENT_STOP, SIGTRAP);
	played_stops(13, 0, SIGUSR1);
	take();
	ck_assert_played("cont 10\ncont 12\ncont 13 10\n");
}
END_TEST

/* A thread calls exec: it alone is left, by the id of the process. What it owes, it owes still. */
START_TEST(an_exec_of_another_thread)
{
	played_add(10, 11)->runs = true;
	played_add(10, 12);
	trace(10);
	stop_for_sample(10);
	runs_for(11, PERIOD_NS / 2);
	look();
	played_log[0] = '\0';
	played_remove(11);
	played_remove(12);
	*played_find(10) = (struct played_thread){.tid = 10,
						  .pid = 10,
						  .ran_ns = PERIOD_NS / 2,
						  .runs = true,
						  .message = 11,
						  .comm = "new program"};
	played_stops(10, PTRACE_EVENT_EXEC, SIGTRAP);
	take();
	ck_assert_played("exec 10 new program\ncode 10 anew\ncont 10\n");
	look();
	ck_assert_played("");
	stop_for_sample(10);
	ck_assert_played("interrupt 10\nsample 10\ncont 10\n");
	ck_assert_uint_eq(sampled.nr_execs, 1);
	runs_for(10, PERIOD_NS / 2 - 1);
	look();
	ck_assert_played("");
	runs_for(10, 1);
	look();
	ck_assert_played("interrupt 10\n");
}
END_TEST

/* The time of threads that an exec ends is left to new ones. Other processes keep theirs. */
START_TEST(debts_of_an_exec)
{
	played_add(10, 11);
	played_stops(11, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	played_add(20, 20)->runs = true;
	played_add(5, 5);
	trace(5);
	trace(20);
	runs_for(11, PERIOD_NS - 2);
	runs_for(20, PERIOD_NS - 2);
	look();
	played_remove(11);
	played_find(10)->message = 10;
	played_stops(10, PTRACE_EVENT_EXEC, SIGTRAP);
	take();
	played_add(10, 12)->runs = true;
	played_find(10)->message = 12;
	played_stops(10, PTRACE_EVENT_CLONE, SIGTRAP);
	take();
	played_log[0] = '\0';
	for (int i = 0; i < 2; i++) {
		ck_assert_played("");
		runs_for(12, 1);
		runs_for(20, 1);
		look();
	}
	ck_assert_played("interrupt 12\ninterrupt 20\n");
}
END_TEST

/* The message of an exec is lost when the thread is killed in it. */
START_TEST(an_exec_that_is_killed)
{
	played_find(10)->error = -ESRCH;
	played_stops(10, PTRACE_EVENT_EXEC, SIGTRAP);
	take();
	ck_assert_played("exec 10\ncode 10 anew\ncont 10\n");
}
END_TEST

/* A thread goes on after an exec as before, with a sample due no more. */
START_TEST(an_exec_while_a_sample_is_due)
{
	runs_for(10, PERIOD_NS);
	look();
	played_find(10)->message = 10;
	played_stops(10, PTRACE_EVENT_EXEC, SIGTRAP);
	take();
	played_log[0] = '\0';
	runs_for(10, 1);
	look();
	ck_assert_played("interrupt 10\n");
}
END_TEST

/* Single threads, and threads that are traced already. */
START_TEST(threads_are_added_once)
{
	played_add(20, 20);
	played_add(20, 21);
	ck_assert_int_eq(ptrace_source_add(source, 21, true, false, &err), 0);
	ck_assert_played("seize 21 94\n");
	ck_assert_str_eq(err.text, "");
	ck_assert_int_eq(ptrace_source_add(source, 20, false, false, &err), 0);
	ck_assert_played("seize 20 94\n");
	ck_assert_int_eq(ptrace_source_add(source, 20, false, false, &err), 0);
	ck_assert_played("");
}
END_TEST

START_TEST(threads_that_cannot_be_added)
{
	ck_assert_int_eq(ptrace_source_add(source, 20, false, false, &err), -ESRCH);
	ck_assert_int_eq(ptrace_source_add(source, 21, true, false, &err), -ESRCH);
	tgid_error = -EACCES;
	ck_assert_int_eq(ptrace_source_add(source, 21, true, false, &err), -EACCES);
	tgid_error = 0;
	ck_assert_played("");
	played_add(20, 20)->error = -EPERM;
	tracer = 77;
	ck_assert_int_eq(ptrace_source_add(source, 20, false, false, &err), -EPERM);
	ck_assert_str_eq(err.text, "failed to trace process 20: Operation not permitted");
	ck_assert_str_eq(err.hint, "process 77 traces it already, a debugger or profrec");
	tracer = 0;
	ck_assert_int_eq(ptrace_source_add(source, 20, true, false, &err), -EPERM);
	ck_assert_ptr_null(strstr(err.hint, "traces it already"));
	played_find(20)->error = -EIO;
	ck_assert_int_eq(ptrace_source_add(source, 20, false, false, &err), -EIO);
	ck_assert_str_eq(err.text, "failed to trace process 20: Input/output error");
	/* A thread that has ended is none to trace. */
	played_find(20)->has_ended = true;
	ck_assert_int_eq(ptrace_source_add(source, 20, false, false, &err), -EIO);
	played_find(20)->error = -EPERM;
	ck_assert_int_eq(ptrace_source_add(source, 20, false, false, &err), -ESRCH);
}
END_TEST

/* The kernel traces what a traced thread has begun. The source hears of it with its first stop. */
START_TEST(a_thread_begun_meanwhile)
{
	played_add(20, 20);
	played_add(20, 21)->error = -EPERM;
	tracer = getpid();
	ck_assert_int_eq(ptrace_source_add(source, 20, false, false, &err), 0);
	ck_assert_played("seize 20 94\nseize 21 94\n");
	/* It may have gone before anybody can ask who traces it. */
	tracer_error = -ENOENT;
	ck_assert_int_eq(ptrace_source_add(source, 20, false, false, &err), 0);
	ck_assert_played("seize 21 94\n");
	played_find(21)->error = 0;
	played_stops(21, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	ck_assert_played("cont 21\n");
	ck_assert_int_eq(ptrace_source_add(source, 20, false, false, &err), 0);
	ck_assert_played("");
	tracer = 0;
}
END_TEST

/* A new process has the id of one whose end nobody has told: it is another one. */
START_TEST(an_id_that_comes_again)
{
	played_add(20, 21);
	ck_assert_int_eq(ptrace_source_add(source, 21, true, false, &err), 0);
	played_add(20, 20)->runs = true;
	played_find(10)->message = 20;
	played_stops(10, PTRACE_EVENT_FORK, SIGTRAP);
	played_find(20)->regs.rip = 0x1000;
	played_stops(20, PTRACE_EVENT_STOP, SIGTRAP);
	take();
	played_find(20)->regs.rip = 0x1004;
	stop_for_sample(20);
	ck_assert_uint_eq(sampled.pid, 20);
	ck_assert_uint_eq(sampled.start, 3);
}
END_TEST

/* What the listener cannot do ends the recording, and no thread stays stopped for it. */
START_TEST(errors_of_the_listener)
{
	listener_error = -ENOMEM;
	is_cgroup_due = true;
	runs_for(10, PERIOD_NS);
	look();
	played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
	ck_assert_int_eq(ptrace_source_take(source), -ENOMEM);
	ck_assert_played("interrupt 10\ncgroup 10\nsample 10\ncont 10\n");
	played_find(10)->message = 10;
	played_stops(10, PTRACE_EVENT_EXEC, SIGTRAP);
	ck_assert_int_eq(ptrace_source_take(source), -ENOMEM);
	ck_assert_played("exec 10\ncont 10\n");
	listener_error = 0;
	look_error = -EIO;
	played_stops(10, PTRACE_EVENT_EXEC, SIGTRAP);
	ck_assert_int_eq(ptrace_source_take(source), -EIO);
	ck_assert_played("exec 10\ncode 10 anew\ncont 10\n");
	listener_error = -ENOMEM;
	played_add(20, 20)->parent = 10;
	played_find(10)->message = 20;
	played_stops(10, PTRACE_EVENT_FORK, SIGTRAP);
	ck_assert_int_eq(ptrace_source_take(source), -ENOMEM);
	ck_assert_played("fork 20 of 10\ncont 10\n");
	/* A child that stops before its parent. */
	for (uint32_t pid = 21; pid <= 22; pid++) {
		played_add(pid, pid)->parent = 10;
		played_stops(pid, pid == 21 ? PTRACE_EVENT_STOP : 0, SIGTRAP);
		ck_assert_int_eq(ptrace_source_take(source), -ENOMEM);
	}
	ck_assert_played("fork 21 of 10\ncont 21\nfork 22 of 10\ncont 22 5\n");
	listener_error = 0;
	played_find(10)->faults++;
	runs_for(10, PERIOD_NS);
	look();
	played_stops(10, PTRACE_EVENT_EXIT, SIGTRAP);
	ck_assert_int_eq(ptrace_source_take(source), -EIO);
	ck_assert_played("interrupt 10\ncgroup 10\ncode 10\nsample 10\ncont 10\n");
	listener_error = -ENOMEM;
	played_stops(10, PTRACE_EVENT_EXIT, SIGTRAP);
	played_happens(10, CLD_EXITED, 0);
	ck_assert_int_eq(ptrace_source_take(source), -ENOMEM);
	ck_assert_played("cont 10\nreap 10\nexit 10\n");
}
END_TEST

static void refuse(void)
{
	const struct source_options options = {.freq_hz = 100};
	struct ptrace_source *other = NULL;
	struct rlimit files;

	cpus_error = -EIO;
	ck_assert_int_eq(ptrace_source_create(&options, &other, &err), -EIO);
	ck_assert_str_eq(err.text, "failed to read the CPUs");
	lacks_schedstat = true;
	ck_assert_int_eq(ptrace_source_create(&options, &other, &err), -EOPNOTSUPP);
	ck_assert_str_eq(
		err.text,
		"failed to trace: the kernel does not tell the CPU times of threads (/proc/PID/schedstat, CONFIG_SCHED_INFO)");
	ck_assert_ptr_null(other);
	cpus_error = lacks_schedstat = false;
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &files), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, files.rlim_max}), 0);
	ck_assert_int_eq(ptrace_source_create(&options, &other, &err), -EMFILE);
	ck_assert_str_eq(err.text, "failed to make a timer: Too many open files");
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
}

/* What a source has, it gives back: after some turns, there is as much memory as before. */
START_TEST(a_source_ends)
{
	size_t bytes[12];

	ptrace_source_destroy(source);
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		int fd = dup(STDERR_FILENO);

		close(fd);
		create(100, 0);
		trace(10);
		played_stops(10, PTRACE_EVENT_STOP, SIGTRAP);
		ptrace_source_destroy(source);
		ck_assert_played("interrupt 10\ndetach 10\n");
		refuse();
		bytes[i] = mallinfo2().uordblks;
		ck_assert_int_eq(dup(STDERR_FILENO), fd);
		close(fd);
	}
	ck_assert_uint_eq(bytes[10], bytes[11]);
	ptrace_source_destroy(NULL);
	create(100, 0);
	/* Job control does not stop the recorder, for which all threads would wait. */
	ck_assert_int_eq(raise(SIGTSTP), 0);
}
END_TEST

/* Threads that the kernel has traced for the recorder, and those that stand still. */
static bool is_traced[64], is_stopped[64];
static int nr_seizes, failing_seize = -1;

static int follow_request(int request, uint32_t tid, unsigned long data)
{
	int ret = request == PTRACE_SEIZE && nr_seizes++ == failing_seize
			  ? -EIO
			  : played_ops.request(request, tid, data);

	if (request == PTRACE_DETACH)
		ck_assert(is_stopped[tid]);
	if (ret)
		return ret;
	if (request == PTRACE_INTERRUPT)
		played_stops(tid, PTRACE_EVENT_STOP, SIGTRAP);
	else
		is_stopped[tid] = false;
	is_traced[tid] = request != PTRACE_DETACH;
	return 0;
}

static int follow_wait(idtype_t type, uint32_t id, siginfo_t *info, int flags)
{
	int ret = played_ops.wait(type, id, info, flags);

	if (ret || !info->si_pid)
		return ret;
	is_traced[info->si_pid] = is_stopped[info->si_pid] = true;
	/* The program has one thread then. */
	if (info->si_status >> 8 == PTRACE_EVENT_EXEC)
		is_traced[21] = is_traced[22] = false;
	return 0;
}

/* A process is traced, and has a new thread, a child, and a new program. */
static int trace_and_begin(void)
{
	const struct source_options options = {.freq_hz = 100, .listener = played_listener};
	int ret = ptrace_source_create(&options, &source, &err);

	if (ret)
		return ret;
	ret = ptrace_source_add(source, 20, false, false, &err);
	if (!ret)
		ret = ptrace_source_add(source, 31, true, false, &err);
	if (!ret)
		ret = ptrace_source_start(source, &err);
	if (!ret) {
		played_stops(22, PTRACE_EVENT_STOP, SIGTRAP);
		played_stops(30, PTRACE_EVENT_STOP, SIGTRAP);
		ret = ptrace_source_take(source);
	}
	if (!ret) {
		played_stops(20, PTRACE_EVENT_EXEC, SIGTRAP);
		ret = ptrace_source_take(source);
	}
	ptrace_source_destroy(source);
	return ret;
}

/* Begins and ends a source. Nothing is left of it, whatever has failed. */
static int trace_and_leave(int fd)
{
	int ret = trace_and_begin();

	for (size_t i = 0; i < ARRAY_SIZE(is_traced); i++)
		ck_assert_msg(!is_traced[i], "thread %zu is traced", i);
	played_log[0] = '\0';
	nr_played_events = 0;
	ck_assert_int_eq(dup(STDERR_FILENO), fd);
	close(fd);
	return ret;
}

/* Ends the source of the other tests. Returns the number of the next file. */
static int begin_to_fail(void)
{
	static struct tracee_ops follow;
	int fd;

	end();
	fd = dup(STDERR_FILENO);
	close(fd);
	follow = played_ops;
	follow.request = follow_request;
	follow.wait = follow_wait;
	tracee = &follow;
	played_add(20, 20)->message = 20;
	played_add(20, 21);
	played_add(20, 22);
	played_add(30, 30)->parent = 20;
	played_add(31, 31);
	return fd;
}

START_TEST(out_of_memory)
{
	int fd = begin_to_fail();

	oom_for_each_call(n) ck_assert_int_eq(trace_and_leave(fd), oom_hit ? -ENOMEM : 0);
	source = NULL;
}
END_TEST

/* One of the threads cannot be traced: all others are let go, and the memory is free again. */
START_TEST(a_start_that_fails)
{
	int fd = begin_to_fail();
	size_t bytes[12];

	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		for (failing_seize = 0; failing_seize <= 4; failing_seize++) {
			nr_seizes = 0;
			ck_assert_int_eq(trace_and_leave(fd), failing_seize < 4 ? -EIO : 0);
		}
		bytes[i] = mallinfo2().uordblks;
	}
	ck_assert_uint_eq(bytes[10], bytes[11]);
	source = NULL;
}
END_TEST

SUITE_MAIN_WITH("ptrace_source", begin, end, a_request_that_fails, killed_while_stopped,
		a_stop_that_was_not_asked_for, signals_are_handed_on, job_control, stops_of_others,
		a_storm_of_stops, a_new_thread, a_new_thread_that_has_called, new_processes,
		descendants, new_threads_that_are_killed, an_exec_of_another_thread,
		debts_of_an_exec, an_exec_that_is_killed, an_exec_while_a_sample_is_due,
		threads_are_added_once, threads_that_cannot_be_added, a_thread_begun_meanwhile,
		an_id_that_comes_again, errors_of_the_listener, a_source_ends, out_of_memory,
		a_start_that_fails)
