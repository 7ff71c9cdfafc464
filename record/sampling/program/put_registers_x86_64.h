/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RECORD_SAMPLING_PROGRAM_PUT_REGISTERS_X86_64_H
#define RECORD_SAMPLING_PROGRAM_PUT_REGISTERS_X86_64_H

#include <sys/user.h>

static inline void put_regs(struct pt_regs *to, const struct user_regs_struct *from)
{
	*to = (struct pt_regs){
		.r15 = from->r15,
		.r14 = from->r14,
		.r13 = from->r13,
		.r12 = from->r12,
		.bp = from->rbp,
		.bx = from->rbx,
		.r11 = from->r11,
		.r10 = from->r10,
		.r9 = from->r9,
		.r8 = from->r8,
		.ax = from->rax,
		.cx = from->rcx,
		.dx = from->rdx,
		.si = from->rsi,
		.di = from->rdi,
		.orig_ax = from->orig_rax,
		.ip = from->rip,
		.cs = from->cs,
		.sp = from->rsp,
	};
}

static inline void put_thread_pointer(struct thread_struct *to, const struct user_regs_struct *from)
{
	to->fsbase = from->fs_base;
}

#endif
