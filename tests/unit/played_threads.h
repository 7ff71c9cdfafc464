/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that are played: a test says what the kernel would tell of them, stop by stop, and sees
 * in a log what the recorder has asked of the kernel.
 */
#ifndef TESTS_PLAYED_THREADS_H
#define TESTS_PLAYED_THREADS_H

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/ptrace.h>

#include "record/sampling/ptrace/targets.h"
#include "record/sampling/ptrace/tracee.h"
#include "tests/unit/suite.h"

struct played_thread {
	uint32_t tid, pid, parent;
	int error; /* of all requests: -ESRCH once it has been killed */
	int error_of_detach, error_of_seize;
	unsigned long message;
	struct user_regs_struct regs;
	int nr_regs; /* bytes; 0: all of them */
	/* What /proc tells: */
	uint64_t ran_ns, faults, start_code, start_stack;
	struct thread_ticks ticks;
	uint32_t cpu, nr_reads; /* of ran_ns */
	bool runs, has_ended;
	char comm[16];
};

/* What waitid tells of a thread. */
struct played_event {
	uint32_t tid;
	int code, status;
};

static struct played_thread played[16];
static size_t nr_played;
static struct played_event played_events[32];
static size_t nr_played_events;
static uint32_t played_late; /* a thread that has its events after all were looked at */
static char played_log[4096];

static inline struct played_thread *played_find(uint32_t tid)
{
	for (size_t i = 0; i < nr_played; i++)
		if (played[i].tid == tid)
			return &played[i];
	return NULL;
}

/* A new thread, which makes no system call. The pointer is good until one is removed. */
static inline struct played_thread *played_add(uint32_t pid, uint32_t tid)
{
	ck_assert_uint_lt(nr_played, ARRAY_SIZE(played));
	played[nr_played] = (struct played_thread){.pid = pid, .tid = tid, .regs.orig_rax = -1};
	return &played[nr_played++];
}

static inline void played_remove(uint32_t tid)
{
	struct played_thread *t = played_find(tid);

	ck_assert_ptr_nonnull(t);
	memmove(t, t + 1, (char *)(played + --nr_played) - (char *)t);
}

/* The thread will have this to tell, after what was added before. */
static inline void played_happens(uint32_t tid, int code, int status)
{
	ck_assert_uint_lt(nr_played_events, ARRAY_SIZE(played_events));
	played_events[nr_played_events++] = (struct played_event){tid, code, status};
}

/* It stops for a PTRACE_EVENT_*, or with 0 because @sig is about to be delivered. */
static inline void played_stops(uint32_t tid, int event, int sig)
{
	played_happens(tid, CLD_TRAPPED, event << 8 | sig);
}

__attribute__((format(printf, 1, 2))) static void played_note(const char *format, ...)
{
	size_t at = strlen(played_log);
	va_list args;

	va_start(args, format);
	vsnprintf(played_log + at, sizeof(played_log) - at, format, args);
	va_end(args);
}

/* Checks what was noted since the last check. */
#define ck_assert_played(text)                                                                     \
	do {                                                                                       \
		ck_assert_str_eq(played_log, text);                                                \
		played_log[0] = '\0';                                                              \
	} while (0)

static int played_request(int request, uint32_t tid, unsigned long data)
{
	static const struct {
		int request;
		const char *name;
	} names[] = {{PTRACE_SEIZE, "seize"},
		     {PTRACE_CONT, "cont"},
		     {PTRACE_DETACH, "detach"},
		     {PTRACE_INTERRUPT, "interrupt"},
		     {PTRACE_LISTEN, "listen"}};
	const struct played_thread *t = played_find(tid);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].request == request)
			played_note("%s %u", names[i].name, tid);
	if (data)
		played_note(" %lu", data);
	played_note("\n");
	if (t && request == PTRACE_DETACH && t->error_of_detach)
		return t->error_of_detach;
	if (t && request == PTRACE_SEIZE && t->error_of_seize)
		return t->error_of_seize;
	return t ? t->error : -ESRCH;
}

static int played_message(uint32_t tid, unsigned long *message)
{
	const struct played_thread *t = played_find(tid);

	if (!t || t->error)
		return -ESRCH;
	*message = t->message;
	return 0;
}

static int played_read_registers(uint32_t tid, struct user_regs_struct *regs)
{
	const struct played_thread *t = played_find(tid);

	if (!t || t->error)
		return -ESRCH;
	*regs = t->regs;
	return t->nr_regs ? t->nr_regs : (int)sizeof(*regs);
}

static int played_write_registers(uint32_t tid, const struct user_regs_struct *regs)
{
	struct played_thread *t = played_find(tid);

	ck_assert_ptr_nonnull(t);
	played_note("write %u\n", tid);
	t->regs = *regs;
	return t->error;
}

static bool played_is_end(int code)
{
	return code == CLD_EXITED || code == CLD_KILLED || code == CLD_DUMPED;
}

/* Of threads that are traced, stops are told whether they are asked for or not. */
static int played_wait(idtype_t type, uint32_t id, siginfo_t *info, int flags)
{
	ck_assert(flags & WNOHANG && flags & __WALL);
	info->si_pid = 0;
	if (type == P_PID && !played_find(id))
		return -ECHILD;
	for (size_t i = 0; i < nr_played_events; i++) {
		struct played_event event = played_events[i];

		if ((type == P_PID && event.tid != id) ||
		    (type == P_ALL && event.tid == played_late) ||
		    (played_is_end(event.code) && !(flags & WEXITED)))
			continue;
		info->si_pid = event.tid;
		info->si_code = event.code;
		info->si_status = event.status;
		if (flags & WNOWAIT)
			return 0;
		memmove(&played_events[i], &played_events[i + 1],
			(--nr_played_events - i) * sizeof(event));
		if (played_is_end(event.code)) {
			played_note("reap %u\n", event.tid);
			played_remove(event.tid);
		}
		return 0;
	}
	return 0;
}

static const struct tracee_ops played_ops = {
	.request = played_request,
	.message = played_message,
	.read_registers = played_read_registers,
	.write_registers = played_write_registers,
	.wait = played_wait,
};

#endif
