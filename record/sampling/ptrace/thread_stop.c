// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/ptrace/thread_stop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <time.h>

#include "common/clock.h"
#include "record/sampling/ptrace/cut_call.h"
#include "record/sampling/ptrace/tracee.h"

/* By lot, so that threads do not stop again at a place of its own. */
#define PAUSE_MIN_NS  (64 * NS_PER_US)
#define PAUSE_MORE_NS (128 * NS_PER_US)

int thread_stop_ask(uint32_t tid)
{
	int ret = tracee->request(PTRACE_SEIZE, tid, 0);

	if (ret)
		return ret == -EPERM ? -EPERM : -ESRCH;
	/* If it has gone meanwhile, thread_stop_look says so. */
	tracee->request(PTRACE_INTERRUPT, tid, 0);
	return 0;
}

int thread_stop_look(uint32_t tid, bool is_child, struct user_regs_struct *regs)
{
	const int flags = WEXITED | __WALL | WNOHANG | WNOWAIT;
	siginfo_t info = {0};
	int event, sig, ret;

	ret = tracee->wait(P_PID, tid, &info, flags);
	if (ret)
		return ret == -ECHILD ? -ECHILD : -ESRCH;
	if (!info.si_pid)
		return -EAGAIN;
	/* The parent of a traced thread hears of its end when the tracer has. */
	if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED) {
		if (!is_child)
			tracee->wait(P_PID, tid, &info, WEXITED | __WALL | WNOHANG);
		return -ESRCH;
	}
	/* From here on it may be killed at any time. Its end is to be seen then. */
	if (tracee->wait(P_PID, tid, &info, WSTOPPED | __WALL | WNOHANG) || !info.si_pid)
		return -EAGAIN;
	event = info.si_status >> 8;
	sig = info.si_status & 0xff;
	/* A signal has come first. It is delivered, and takes the place of the stop. */
	if (event != PTRACE_EVENT_STOP) {
		cut_call_repeat(tid);
		if (tracee->request(PTRACE_DETACH, tid, event ? 0 : sig))
			return -EAGAIN;
		return event ? -ESRCH : -EINTR;
	}
	/* Job control has stopped it, and it stays so. */
	if (sig != SIGTRAP || tracee->read_registers(tid, regs) < 0)
		return thread_stop_end(tid) ? -ESRCH : -EAGAIN;
	return 0;
}

bool thread_stop_end(uint32_t tid)
{
	cut_call_repeat(tid);
	return !tracee->request(PTRACE_DETACH, tid, 0);
}

void thread_stop_pause(void)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MIN_NS + random() % PAUSE_MORE_NS};

	nanosleep(&pause, NULL);
}
