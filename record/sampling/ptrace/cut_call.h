/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that waits in a system call, and is stopped for the recorder, goes on to wait when it is
 * let go. Some calls end with EINTR then (signal(7): interruption by stop signals). Few programs
 * expect that which have no signal handlers.
 */
#ifndef RECORD_SAMPLING_PTRACE_CUT_CALL_H
#define RECORD_SAMPLING_PTRACE_CUT_CALL_H

#include <stdint.h>

/* Has the thread, which is in a stop that PTRACE_INTERRUPT asked for, call again. */
void cut_call_repeat(uint32_t tid);

#endif
