/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the user's stack along frame pointers, as the kernel's helper does, and finds the same
 * frames. The helper takes a fault at the end of most stacks, and two reads for each frame. This
 * walk costs a third of that.
 *
 * At the entry of a function there is no frame yet, and the return address is where the call has
 * left it: on top of the stack, or in a register.
 * The recorder knows which uprobes are there. The helper of newer kernels looks at the instruction,
 * and older ones leave out the caller.
 *
 * The helper walks the stacks of tasks that are not in 64-bit code.
 */
#ifndef BPF_WALK_FRAME_POINTERS_H
#define BPF_WALK_FRAME_POINTERS_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/languages/languages.h"
#include "bpf/setting.h"
#include "bpf/shared.h"
#include "bpf/walk/first_frame.h"
#include "bpf/walk/probed_task.h"
#include "bpf/walk/stack_window.h"
#include "bpf/walk/user_stack.h"

/* Set before load: has the kernel the helpers (Linux 5.17)? */
__setting bool walk_by_program;

struct pointer_walk {
	struct walk_memory *memory;
	struct stack_entry *stack;
	__u64 fp;
};

/*
 * Adds the frame that fp leads to. No program has memory in the first page. bpf_loop ends when this
 * returns 1. Where fp is no frame pointer, any value may be there. One that looks like a function
 * of an interpreter is none, and no address either: 0 stands for it, and ends the walk.
 */
static long follow_pointer(__u32 i, struct pointer_walk *w)
{
	__u32 at = w->stack->nr_frames;
	__u64 next, address;

	if (at >= max_depth || w->fp < PAGE_BYTES)
		return 1;
	if (window_read(w->memory, &next, w->fp) ||
	    window_read(w->memory, &address, w->fp + sizeof(next)))
		return 1;
	address = PLAIN_RETURN(address);
	if (word_is_function(address))
		address = 0;
	w->stack->frames[at] = address;
	w->stack->nr_frames = at + 1;
	w->fp = next;
	return !address;
}

/* Adds the caller of a function that is about to begin. */
static __always_inline void add_caller(struct pointer_walk *w, const struct pt_regs *regs)
{
	__u64 address;

	if (max_depth < 2 ||
	    (!regs_have_return(regs, &address) && window_read(w->memory, &address, regs_sp(regs))))
		return;
	address = find_probed_link(w->memory->probe_page, address, regs_sp(regs));
	w->stack->frames[1] = word_is_function(address) ? 0 : address;
	w->stack->nr_frames = 2;
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
		.stack = buffer_of(buffer),
		.memory = walk_memory_begin(level),
	};

	if (!walk_by_program || !w.stack || !w.memory || !regs_are_64_bit(regs))
		return false;
	w.fp = regs_fp(regs);
	w.stack->frames[0] = regs_pc(regs);
	if (is_in_probe_page(w.memory->probe_page, regs_pc(regs))) {
		begin_frame(w.memory);
		w.stack->frames[0] = w.memory->walk.frame.pc;
	}
	w.stack->nr_frames = 1;
	if (w.memory->walk.is_at_entry)
		add_caller(&w, regs);
	bpf_loop(max_depth, follow_pointer, &w, 0);
	return true;
}

#endif
