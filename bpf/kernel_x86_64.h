/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types of bpf/kernel.h that differ between architectures, on x86-64. */
#ifndef BPF_KERNEL_X86_64_H
#define BPF_KERNEL_X86_64_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct thread_struct {
	unsigned long fsbase; /* the thread pointer */
};

/* The registers of user space when it entered the kernel. */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di, orig_ax;
	unsigned long ip, cs, flags, sp, ss;
};

#pragma clang attribute pop

#endif
