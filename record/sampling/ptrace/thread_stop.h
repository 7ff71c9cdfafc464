/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stops single threads for a moment (ptrace), and lets them go again. A thread stops when it gets a
 * CPU, so nobody waits for it: the recorder asks again after SIGCHLD. Should the recorder end
 * meanwhile, the kernel lets the thread go.
 */
#ifndef RECORD_SAMPLING_PTRACE_THREAD_STOP_H
#define RECORD_SAMPLING_PTRACE_THREAD_STOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

/*
 * Asks the thread to stop. Returns 0, -EPERM if that is not allowed or somebody else traces it, or
 * -ESRCH if it has gone. After 0, call thread_stop_look until it returns something else than
 * -EAGAIN.
 */
int thread_stop_ask(uint32_t tid);

/*
 * Has the thread stopped? Returns 0 with its registers, and thread_stop_end is due; -EAGAIN if it
 * still runs; -EINTR if a signal came first, with which it goes on; -ESRCH if it has ended, or does
 * not stop for another reason; or -ECHILD if its id has gone. It may have called exec then, and go
 * on, and stop, as the process @tid was a thread of.
 * @is_child: somebody else waits for its end.
 */
int thread_stop_look(uint32_t tid, bool is_child, struct user_regs_struct *regs);

/*
 * Lets the thread go. Returns false if it has been killed meanwhile. Its parent hears of its end
 * only from thread_stop_look: call that until it returns something else than -EAGAIN.
 */
bool thread_stop_end(uint32_t tid);

/* Waits while threads that were let go run on, before they are asked again. */
void thread_stop_pause(void);

#endif
