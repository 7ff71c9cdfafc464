/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The innermost frame of the current task: the registers with which user space entered the kernel,
 * as they would be without uprobes (bpf/walk/probed_task.h).
 */
#ifndef BPF_WALK_FIRST_FRAME_H
#define BPF_WALK_FIRST_FRAME_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/walk/probed_task.h"
#include "bpf/walk/stack_window.h"
#include "bpf/walk/user_registers.h"

static __always_inline const struct pt_regs *current_user_regs(void)
{
	return (const struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
}

/* The frame has returned to the trampoline, and would be in its caller at @pc. */
static __always_inline void return_to(__u64 *regs, __u64 pc, __u64 sp)
{
	regs[UNWIND_REG_PC] = pc;
	regs[UNWIND_REG_SP] = sp;
}

/*
 * Takes the frame of @level, whose registers are loaded, to where it would be if it were not in the
 * page of the probes. It stays where nothing tells. Returns 0.
 */
__verified_once int leave_probe_page(__u32 level)
{
	const struct uprobe_task *utask = probed_task(bpf_get_current_task_btf());
	struct walk_memory *m = walk_memory_of(level);
	const struct return_instance *call = NULL;
	__u64 *regs, pc, sp, off;

	if (!m || !utask)
		return 0;
	regs = m->walk.frame.regs;
	sp = regs[UNWIND_REG_SP];
	pc = find_out_of_line(utask, regs[UNWIND_REG_PC]);
	if (pc) {
		regs[UNWIND_REG_PC] = pc;
		return 0;
	}
	off = PLAIN_RETURN(regs[UNWIND_REG_PC]) - m->probe_page;
	if (off <= TRAMPOLINE_PROBE_DONE)
		call = find_returned_call(utask, sp);
	if (call) {
		return_to(regs, call->orig_ret_vaddr, call->stack + RETURN_BYTES);
		return 0;
	}
	sp = trampoline_return_at(off, sp);
	if (sp && !read_word(sp, level))
		return_to(regs, m->word, sp + RETURN_BYTES);
	return 0;
}

/* Makes that frame the one of @m, which is memory of a new walk. */
static __always_inline void begin_frame(struct walk_memory *m)
{
	__u64 *regs = m->walk.frame.regs;

	load_regs(regs, current_user_regs());
	if (is_in_probe_page(m->probe_page, regs[UNWIND_REG_PC]))
		leave_probe_page(m->level);
	regs[UNWIND_REG_KEPT] =
		find_probed_link(m->probe_page, regs[UNWIND_REG_KEPT], regs[UNWIND_REG_SP]);
	unwind_begin(&m->walk.frame);
}

#endif
