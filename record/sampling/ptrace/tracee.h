/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the recorder asks of the kernel about the threads that it traces. A thread stops, calls exec
 * or ends at moments that nobody chooses. So the requests go through a table of functions: a unit
 * test puts its own in their place, and plays the stops that it wants to see handled.
 */
#ifndef RECORD_SAMPLING_PTRACE_TRACEE_H
#define RECORD_SAMPLING_PTRACE_TRACEE_H

#include <stdint.h>
#include <sys/user.h>
#include <sys/wait.h>

/* The functions return a negative errno on failure, else 0 unless they say something else. */
struct tracee_ops {
	/*
	 * PTRACE_SEIZE with options, PTRACE_CONT and PTRACE_DETACH with a signal to deliver, or
	 * PTRACE_INTERRUPT and PTRACE_LISTEN with 0 (ptrace(2)).
	 */
	int (*request)(int request, uint32_t tid, unsigned long data);
	/* Of the event that the thread has stopped for (PTRACE_GETEVENTMSG). */
	int (*message)(uint32_t tid, unsigned long *message);
	/* Returns how many bytes of @regs are set: fewer for a thread in 32-bit code. */
	int (*read_registers)(uint32_t tid, struct user_regs_struct *regs);
	int (*write_registers)(uint32_t tid, const struct user_regs_struct *regs);
	/* As waitid(2). */
	int (*wait)(idtype_t type, uint32_t id, siginfo_t *info, int flags);
};

/* Those that ask the kernel, unless a test sets others. */
extern const struct tracee_ops *tracee;

#endif
