/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the user's stack along frame pointers, as the kernel's helper does, and finds the same
 * frames. The helper takes a fault at the end of most stacks, and two reads for each frame. This
 * walk costs a third of that.
 *
 * The helper does the rest: tasks that are not in 64-bit code, and calls of functions at a uprobe.
 * There the kernel looks for the caller of a function that has no frame yet.
 */
#ifndef BPF_FRAME_POINTERS_H
#define BPF_FRAME_POINTERS_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/shared.h"
#include "bpf/stack_window.h"
#include "bpf/user_stack.h"

/* Set before load: has the kernel the helpers (Linux 5.17)? */
const volatile bool walk_by_program;

/* No program has memory below this address. */
#define FIRST_ADDRESS 4096

struct pointer_walk {
	struct walk_memory *memory;
	struct stack_entry *stack;
	__u64 fp;
};

/* Adds the frame that fp leads to. bpf_loop ends when this returns 1. */
static long follow_pointer(__u32 i, struct pointer_walk *w)
{
	__u64 next, address;

	if (i + 1 >= max_depth || w->fp < FIRST_ADDRESS)
		return 1;
	if (window_read(w->memory, &next, w->fp) ||
	    window_read(w->memory, &address, w->fp + sizeof(next)))
		return 1;
	w->stack->frames[i + 1] = address;
	w->stack->nr_frames = i + 2;
	w->fp = next;
	return 0;
}

/*
 * Walks the user stack of the current task, which must have memory, into its buffer of @level.
 * Returns false if the kernel's helper must do that.
 */
__verified_once int walk_frame_pointers(__u32 level)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	__u32 buffer = BUFFER_OF(level, SIDE_USER);
	struct pointer_walk w = {
		.stack = bpf_map_lookup_elem(&buffers, &buffer),
		.memory = walk_memory_begin(level),
	};

	if (!walk_by_program || !w.stack || !w.memory || regs->cs != USER_CS)
		return false;
	w.fp = regs->bp;
	w.stack->frames[0] = regs->ip;
	w.stack->nr_frames = 1;
	bpf_loop(max_depth, follow_pointer, &w, 0);
	return true;
}

#endif
