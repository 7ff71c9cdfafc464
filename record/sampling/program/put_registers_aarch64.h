/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RECORD_SAMPLING_PROGRAM_PUT_REGISTERS_AARCH64_H
#define RECORD_SAMPLING_PROGRAM_PUT_REGISTERS_AARCH64_H

#include <string.h>
#include <sys/user.h>

static inline void put_regs(struct pt_regs *to, const struct user_regs_struct *from)
{
	_Static_assert(sizeof(to->regs) == sizeof(from->regs), "the kernel's registers");
	memcpy(to->regs, from->regs, sizeof(to->regs));
	to->sp = from->sp;
	to->pc = from->pc;
	to->pstate = from->pstate;
	to->orig_x0 = 0;
	to->syscallno = -1;
}

/* It is not among the registers that the sources get. */
static inline void put_thread_pointer(struct thread_struct *to, const struct user_regs_struct *from)
{
	(void)from;
	to->uw.tp_value = 0;
}

#endif
