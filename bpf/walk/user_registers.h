/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers with which user space entered the kernel, in the order of DWARF's numbers. */
#ifndef BPF_WALK_USER_REGISTERS_H
#define BPF_WALK_USER_REGISTERS_H

#include "bpf/kernel.h"
#include "bpf/walk/unwind.h"

static __always_inline void load_regs(__u64 *to, const struct pt_regs *regs)
{
	to[UNWIND_RAX] = regs->ax;
	to[1] = regs->dx;
	to[2] = regs->cx;
	to[UNWIND_RBX] = regs->bx;
	to[4] = regs->si;
	to[5] = regs->di;
	to[UNWIND_RBP] = regs->bp;
	to[UNWIND_RSP] = regs->sp;
	to[8] = regs->r8;
	to[9] = regs->r9;
	to[10] = regs->r10;
	to[11] = regs->r11;
	to[12] = regs->r12;
	to[13] = regs->r13;
	to[14] = regs->r14;
	to[15] = regs->r15;
	to[UNWIND_RIP] = regs->ip;
}

#endif
