// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sources/thread_stop.h"

#include <errno.h>
#include <linux/elf.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "record/sources/cut_call.h"

int thread_stop_ask(uint32_t tid)
{
	if (ptrace(PTRACE_SEIZE, tid, 0, 0))
		return errno == EPERM ? -EPERM : -ESRCH;
	/* If it has gone meanwhile, thread_stop_look says so. */
	ptrace(PTRACE_INTERRUPT, tid, 0, 0);
	return 0;
}

int thread_stop_look(uint32_t tid, bool is_child, struct user_regs_struct *regs)
{
	struct iovec iov = {.iov_base = regs, .iov_len = sizeof(*regs)};
	const int flags = WEXITED | __WALL | WNOHANG | WNOWAIT;
	siginfo_t info = {0};
	int event, sig;

	if (waitid(P_PID, tid, &info, flags))
		return errno == ECHILD ? -ECHILD : -ESRCH;
	if (!info.si_pid)
		return -EAGAIN;
	/* The parent of a traced thread hears of its end when the tracer has. */
	if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED) {
		if (!is_child)
			waitid(P_PID, tid, &info, WEXITED | __WALL | WNOHANG);
		return -ESRCH;
	}
	/* From here on it may be killed at any time. Its end is to be seen then. */
	if (waitid(P_PID, tid, &info, WSTOPPED | __WALL | WNOHANG) || !info.si_pid)
		return -EAGAIN;
	event = info.si_status >> 8;
	sig = info.si_status & 0xff;
	/* A signal has come first. It is delivered, and takes the place of the stop. */
	if (event != PTRACE_EVENT_STOP)
		return ptrace(PTRACE_DETACH, tid, 0, event ? 0 : sig) ? -EAGAIN : -ESRCH;
	/* Job control has stopped it, and it stays so. */
	if (sig != SIGTRAP || ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &iov))
		return thread_stop_end(tid) ? -ESRCH : -EAGAIN;
	return 0;
}

bool thread_stop_end(uint32_t tid)
{
	cut_call_repeat(tid);
	return !ptrace(PTRACE_DETACH, tid, 0, 0);
}
