/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells the recorder of changes of memory that the kernel's side-band leaves out: code that mremap
 * moves, and a process that begins with the memory of its parent and not with a copy.
 */
#ifndef BPF_COUNT_MEMORY_CHANGES_H
#define BPF_COUNT_MEMORY_CHANGES_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/errno.h>
#include <linux/mman.h>
#include <linux/sched.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/walk/early_submit.h"
#include "bpf/kernel.h"
#include "bpf/count/sample_filters.h"
#include "bpf/shared.h"
#include "bpf/walk/user_stack.h"

#define ERRNO_MAX 4095 /* results of system calls above -ERRNO_MAX are errors */

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 << 10);
} memory_changes SEC(".maps");

/* Changes that found no room. */
__u64 nr_unsent_changes;

static __always_inline void send_change(const struct memory_change *change)
{
	if (bpf_ringbuf_output(&memory_changes, (void *)change, sizeof(*change), BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&nr_unsent_changes, 1);
}

static long note_flags(struct task_struct *task, struct vm_area_struct *vma, void *ctx)
{
	*(unsigned long *)ctx = vma->vm_flags;
	return 0;
}

/* Is there code at @addr, or can that not be known now? */
static __always_inline bool may_be_code(struct task_struct *task, __u64 addr)
{
	unsigned long flags = 0;
	long ret = bpf_find_vma(task, addr, note_flags, &flags, 0);

	/* -EBUSY: another thread changes mappings at this moment. */
	return ret ? ret == -EBUSY : flags & VM_EXEC;
}

/* Call it when mremap has returned @place, the new address or an error. */
static __always_inline int report_move(__u64 place, bool is_32_bit)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct memory_change change = {.type = MEMORY_MOVED, .new_addr = place};
	__u64 arguments[4];

	if (place >= -(__u64)ERRNO_MAX || !may_be_code(task, place))
		return 0;
	change.time_ns = bpf_ktime_get_ns();
	change.tgid = visible_tgid(task);
	load_call_arguments(arguments, regs, is_32_bit);
	change.old_addr = arguments[0];
	change.old_size = arguments[1];
	change.new_size = arguments[2];
	change.keeps_old = arguments[3] & MREMAP_DONTUNMAP || !change.old_size;
	if (!change.tgid)
		return 0;
	send_change(&change);
	/* The next sample asks for the mappings again, and does not walk by the old ones. */
	if (unwind_by_tables)
		bpf_map_delete_elem(&unwind_spaces, &change.tgid);
	return 0;
}

/* A kernel has these programs or the tracepoint attached (record/sampling/bpf/memory_watch.c). */
SEC("fexit/" CALL_FUNCTION("mremap"))
int BPF_PROG(moved_64, const void *regs, long ret)
{
	return report_move(ret, false);
}

SEC("fexit/" COMPAT_CALL_FUNCTION("mremap"))
int BPF_PROG(moved_32, const void *regs, long ret)
{
	return report_move(ret, true);
}

/* The part of syscalls:sys_exit_mremap that is used (events/syscalls/sys_exit_mremap/format). */
struct exit_context {
	__u64 common;
	__s64 nr;
	__u64 ret;
};

SEC("tp")
int moved(struct exit_context *ctx)
{
	return report_move(ctx->ret, false);
}

SEC("tp_btf/task_newtask")
int BPF_PROG(began, struct task_struct *child, unsigned long clone_flags)
{
	struct memory_change change = {.type = MEMORY_SHARED};

	if (!(clone_flags & CLONE_VM) || clone_flags & CLONE_THREAD || !child->mm)
		return 0;
	/* The kernel's helper knows the id of the current task alone. */
	if (pidns_inum && has_one_level())
		return 0;
	change.time_ns = bpf_ktime_get_ns();
	change.tgid = visible_tgid(child);
	change.parent = visible_tgid(bpf_get_current_task_btf());
	if (change.tgid)
		send_change(&change);
	return 0;
}

#endif
