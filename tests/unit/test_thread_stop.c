// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/ptrace/thread_stop.h"

#include <sys/syscall.h>

#include "record/sampling/ptrace/registers.h"
#include "tests/unit/played_threads.h"

#define TID 11

static struct played_thread *thread;
static struct user_regs_struct regs;

static void begin(void)
{
	tracee = &played_ops;
	thread = played_add(10, TID);
}

static void end(void)
{
}

START_TEST(a_stop)
{
	thread->regs.rip = 0x1234;
	ck_assert_int_eq(thread_stop_ask(TID), 0);
	ck_assert_played("seize 11\ninterrupt 11\n");
	ck_assert_int_eq(thread_stop_look(TID, false, &regs), -EAGAIN);
	played_stops(TID, PTRACE_EVENT_STOP, SIGTRAP);
	ck_assert_int_eq(thread_stop_look(TID, false, &regs), 0);
	ck_assert_uint_eq(regs.rip, 0x1234);
	ck_assert_played("");
	ck_assert(thread_stop_end(TID));
	ck_assert_played("detach 11\n");
}
END_TEST

START_TEST(a_thread_that_may_not_be_stopped)
{
	thread->error = -EPERM;
	ck_assert_int_eq(thread_stop_ask(TID), -EPERM);
	thread->error = -EIO;
	ck_assert_int_eq(thread_stop_ask(TID), -ESRCH);
	ck_assert_int_eq(thread_stop_ask(12), -ESRCH);
	ck_assert_played("seize 11\nseize 11\nseize 12\n");
}
END_TEST

/* A signal that comes before the stop is delivered. Other events are of nobody's interest. */
START_TEST(a_signal_comes_first)
{
	played_stops(TID, 0, SIGUSR1);
	ck_assert_int_eq(thread_stop_look(TID, false, &regs), -EINTR);
	ck_assert_played("detach 11 10\n");
	played_stops(TID, PTRACE_EVENT_EXEC, SIGTRAP);
	ck_assert_int_eq(thread_stop_look(TID, false, &regs), -ESRCH);
	ck_assert_played("detach 11\n");
	/* One that is ignored ends no call. */
	thread->regs = (struct user_regs_struct){
		.cs = 0x33, .orig_rax = SYS_recvfrom, .rax = (uint64_t)-EINTR};
	played_stops(TID, 0, SIGCHLD);
	ck_assert_int_eq(thread_stop_look(TID, false, &regs), -EINTR);
	ck_assert_played("write 11\ndetach 11 17\n");
	/* It is killed before that. Its end is yet to be seen. */
	played_stops(TID, 0, SIGUSR1);
	thread->error = -ESRCH;
	ck_assert_int_eq(thread_stop_look(TID, false, &regs), -EAGAIN);
}
END_TEST

START_TEST(job_control)
{
	played_stops(TID, PTRACE_EVENT_STOP, SIGSTOP);
	ck_assert_int_eq(thread_stop_look(TID, false, &regs), -ESRCH);
	ck_assert_played("detach 11\n");
	played_happens(TID, CLD_STOPPED, PTRACE_EVENT_STOP << 8 | SIGTRAP);
	ck_assert_int_eq(thread_stop_look(TID, false, &regs), 0);
	ck_assert_played("");
}
END_TEST

/* The thread has ended. Its parent hears of that once the recorder has, unless it is the parent. */
START_TEST(an_end)
{
	played_happens(TID, CLD_EXITED, 0);
	ck_assert_int_eq(thread_stop_look(TID, true, &regs), -ESRCH);
	ck_assert_played("");
	ck_assert_int_eq(thread_stop_look(TID, false, &regs), -ESRCH);
	ck_assert_played("reap 11\n");
	ck_assert_int_eq(thread_stop_look(TID, false, &regs), -ECHILD);
}
END_TEST

/* It is killed while it is stopped: its registers have gone, and its end is yet to be seen. */
START_TEST(killed_while_stopped)
{
	played_stops(TID, PTRACE_EVENT_STOP, SIGTRAP);
	thread->error = -ESRCH;
	ck_assert_int_eq(thread_stop_look(TID, false, &regs), -EAGAIN);
	ck_assert(!thread_stop_end(TID));
	ck_assert_played("detach 11\ndetach 11\n");
	played_happens(TID, CLD_KILLED, SIGKILL);
	ck_assert_int_eq(thread_stop_look(TID, false, &regs), -ESRCH);
	ck_assert_played("reap 11\n");
}
END_TEST

/* The registers of a thread that returns from a system call with EINTR. */
static struct user_regs_struct cut_call(uint64_t nr)
{
	return (struct user_regs_struct){
		.rip = 0x1002, .cs = 0x33, .orig_rax = nr, .rax = (uint64_t)-EINTR};
}

/* A call that the stop has ended is made again. */
START_TEST(a_call_is_repeated)
{
	static const uint64_t repeated[] = {
		SYS_accept,     SYS_accept4,      SYS_connect,  SYS_epoll_pwait,
		SYS_epoll_wait, SYS_io_getevents, SYS_read,     SYS_readv,
		SYS_recvfrom,   SYS_recvmmsg,     SYS_recvmsg,  SYS_rt_sigtimedwait,
		SYS_semop,      SYS_semtimedop,   SYS_sendmmsg, SYS_sendmsg,
		SYS_sendto,     SYS_write,        SYS_writev};
	uint64_t nr;

	for (size_t i = 0; i < ARRAY_SIZE(repeated); i++) {
		thread->regs = cut_call(repeated[i]);
		ck_assert(registers_end_call(&thread->regs, &nr));
		ck_assert(thread_stop_end(TID));
		ck_assert_played("write 11\ndetach 11\n");
		ck_assert(!registers_end_call(&thread->regs, &nr));
	}
}
END_TEST

START_TEST(calls_that_are_not_repeated)
{
	thread->regs = cut_call(SYS_nanosleep);
	ck_assert(thread_stop_end(TID));
	thread->regs = cut_call(SYS_recvfrom);
	thread->regs.rax = 17;
	ck_assert(thread_stop_end(TID));
	/* The registers of 32-bit code are others. */
	thread->regs = cut_call(SYS_recvfrom);
	thread->nr_regs = 68;
	ck_assert(thread_stop_end(TID));
	ck_assert_played("detach 11\ndetach 11\ndetach 11\n");
}
END_TEST

/* A call has been made, unless the thread waited in it. Of interrupts and faults there is none. */
START_TEST(calls_that_were_left)
{
	static const struct {
		int64_t call, result;
		bool has_left;
	} cases[] = {{SYS_getrusage, 0, true},  {SYS_read, -EAGAIN, true}, {SYS_read, 0, true},
		     {SYS_brk, -511, true},     {SYS_brk, -517, true},     {-1, 0, false},
		     {SYS_read, -EINTR, false}, {SYS_poll, -516, false},   {SYS_read, -512, false}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		regs.orig_rax = (uint64_t)cases[i].call;
		regs.rax = (uint64_t)cases[i].result;
		ck_assert_int_eq(registers_left_call(&regs), cases[i].has_left);
	}
}
END_TEST

START_TEST(handlers_that_are_entered)
{
	static const struct user_regs_struct entered = {
		.rsp = 0x1000, .rdx = 0x1008, .rdi = SIGUSR1};

	regs = entered;
	ck_assert(registers_enter_handler(&regs));
	regs.rdi = 65;
	ck_assert(!registers_enter_handler(&regs));
	regs.rdi = 0;
	ck_assert(!registers_enter_handler(&regs));
	regs = entered;
	regs.rax = 1;
	ck_assert(!registers_enter_handler(&regs));
	regs = entered;
	regs.rsp -= 8; /* it has called */
	ck_assert(!registers_enter_handler(&regs));
}
END_TEST

SUITE_MAIN_WITH("thread_stop", begin, end, a_stop, a_thread_that_may_not_be_stopped,
		a_signal_comes_first, job_control, an_end, killed_while_stopped, a_call_is_repeated,
		calls_that_are_not_repeated, calls_that_were_left, handlers_that_are_entered)
