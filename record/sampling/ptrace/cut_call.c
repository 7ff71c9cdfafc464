// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/ptrace/cut_call.h"

#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "record/sampling/ptrace/registers.h"
#include "record/sampling/ptrace/tracee.h"

/*
 * Calls that end with EINTR, and have done nothing then: of a socket, those with a timeout
 * (SO_RCVTIMEO, SO_SNDTIMEO). Most others begin again by themselves.
 */
static bool may_repeat(uint64_t nr)
{
	switch (nr) {
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
	case SYS_epoll_pwait:
#ifdef SYS_epoll_pwait2
	case SYS_epoll_pwait2:
#endif
#ifdef SYS_epoll_wait /* only older architectures have it */
	case SYS_epoll_wait:
#endif
	case SYS_io_getevents:
	case SYS_io_uring_enter:
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmmsg:
	case SYS_recvmsg:
	case SYS_rt_sigtimedwait:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_sendmmsg:
	case SYS_sendmsg:
	case SYS_sendto:
	case SYS_write:
	case SYS_writev:
		return true;
	default:
		return false;
	}
}

void cut_call_repeat(uint32_t tid)
{
	struct user_regs_struct regs;
	uint64_t nr;

	if (tracee->read_registers(tid, &regs) != (int)sizeof(regs))
		return; /* it has been killed, or its code is 32-bit code */
	if (!registers_end_call(&regs, &nr) || !may_repeat(nr))
		return;
	registers_repeat_call(&regs);
	tracee->write_registers(tid, &regs);
}
