/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the registers and the memory of a task belong to one program: not in all of an exec. */
#ifndef BPF_WALK_TASK_IMAGE_H
#define BPF_WALK_TASK_IMAGE_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/walk/user_registers.h"

/*
 * In the last part of exec, a task has a new address space, but still the registers of the program
 * before. They would give names of the new image to addresses of the old one. Most of that time
 * start_code is 0: the loader of ELF files sets it shortly before the registers. Nobody maps code
 * at 0, because of the sysctl vm.mmap_min_addr. In the rest of that time, the code before the
 * registers' address is not the call of exec.
 */
static __always_inline bool is_between_images(struct task_struct *task, bool has_start_code)
{
	return !has_start_code || has_foreign_regs((struct pt_regs *)bpf_task_pt_regs(task));
}

/* A worker of io_uring has the memory of its process, but has never been in user space. */
static __always_inline bool has_user_stack(struct task_struct *task)
{
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	return regs_pc(regs) || regs_sp(regs);
}

#endif
