/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What uprobes, of any tool, have changed in a task's registers and on its stack, and what would be
 * there without them. So a walk finds the same frames with probes and without.
 *
 * - A return probe replaces the return address of each call of its function by that of a
 *   trampoline. The task keeps a list of these calls with the real addresses.
 * - An instruction that has a probe runs out of line: in a slot, to which the kernel moves the
 *   task's program counter until the instruction is done. The task keeps the real place.
 *
 * The trampoline and the slots are in one page, which the kernel maps into the process. A walk
 * looks here only at an address in that page, which hardly any stack has.
 */
#ifndef BPF_WALK_PROBED_TASK_H
#define BPF_WALK_PROBED_TASK_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/shared.h"
#include "bpf/walk/user_registers.h"

/* In place of the page, where there is none: no address of user space is near. */
#define NO_PROBE_PAGE (1ULL << 63)

/*
 * The kernel's part of a task that has met a uprobe, or NULL. The barriers keep the compiler from
 * using the offset of a field that the kernel does not have.
 */
static __always_inline const struct uprobe_task *probed_task(const struct task_struct *task)
{
	const struct uprobe_task *utask = NULL;

	if (bpf_core_field_exists(task->utask)) {
		barrier();
		utask = task->utask;
	}
	barrier();
	return utask;
}

/*
 * Where the page is in the memory of @task, as PLAIN_RETURN leaves it; NO_PROBE_PAGE: the task has
 * met no uprobe. The kernel puts the page as high as it can. On arm64 with addresses of 52 bits
 * that is above USER_ADDRESS_BITS.
 */
static __always_inline __u64 probe_page_of(const struct task_struct *task)
{
	const struct xol_area *area;

	if (!probed_task(task))
		return NO_PROBE_PAGE;
	area = task->mm->uprobes_state.xol_area;
	return area ? PLAIN_RETURN(area->vaddr) : NO_PROBE_PAGE;
}

static __always_inline bool is_in_probe_page(__u64 page, __u64 address)
{
	return PLAIN_RETURN(address) - page < PAGE_BYTES;
}

/* The real place of @address, if it is in the slot of @utask; 0: it is not. */
static __always_inline __u64 find_out_of_line(const struct uprobe_task *utask, __u64 address)
{
	__u64 slot = PLAIN_RETURN(utask->xol_vaddr), off = PLAIN_RETURN(address) - slot;

	return slot && off <= INSN_BYTES_MAX ? utask->vaddr + off : 0;
}

/*
 * The word at @at of the current task's stack, which is @word, an address in the page. It stays as
 * it is where the task has no such call.
 */
__verified_once __u64 find_probed_return(__u64 word, __u64 at)
{
	const struct uprobe_task *utask = probed_task(bpf_get_current_task_btf());
	const struct return_instance *call;
	__u64 address = PLAIN_RETURN(word);

	if (!utask)
		return word;
	if (address & (PAGE_BYTES - 1)) {
		/* A call that has just run out of line: the kernel will correct the word. */
		address = find_out_of_line(utask, address);
		return address ? address : word;
	}
	call = utask->return_instances;
	for (int i = 0; i < PROBED_CALLS_MAX && call; i++) {
		if (is_return_of_call(call->stack, at))
			return call->orig_ret_vaddr;
		call = call->next;
	}
	return word;
}

/*
 * The return address in @link, the register in which a call leaves it on some architectures, where
 * the stack pointer is @sp.
 */
static __always_inline __u64 find_probed_link(__u64 page, __u64 link, __u64 sp)
{
	if (RETURN_AT_ENTRY != UNWIND_RA_KEPT || !is_in_probe_page(page, link))
		return link;
	/* The call began there or above. */
	return find_probed_return(link, sp - 1);
}

/*
 * The call that has returned to the trampoline of the page with stack pointer @sp, while the probe
 * has not run; NULL: there is none.
 */
static __always_inline const struct return_instance *
find_returned_call(const struct uprobe_task *utask, __u64 sp)
{
	const struct return_instance *call = utask->return_instances;

	for (int i = 0; i < PROBED_CALLS_MAX && call; i++) {
		if (call->stack + RETURN_BYTES - sp <= TRAMPOLINE_PUSHED_BYTES)
			return call;
		call = call->next;
	}
	return NULL;
}

#endif
