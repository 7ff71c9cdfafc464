/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types of bpf/kernel.h that differ between architectures, on arm64. */
#ifndef BPF_KERNEL_AARCH64_H
#define BPF_KERNEL_AARCH64_H

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct thread_struct {
	struct {
		unsigned long tp_value; /* the thread pointer, when the task left the CPU last */
	} uw;
};

/* The registers of user space when it entered the kernel. */
struct pt_regs {
	unsigned long regs[31];
	unsigned long sp, pc, pstate;
	unsigned long orig_x0;
	int syscallno; /* -1: it was no system call */
};

#pragma clang attribute pop

#endif
