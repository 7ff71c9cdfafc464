/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells the recorder who a sampled process is: its user, the name of its main thread, its cgroup.
 * /proc has all of that only while the process lives, and a process may end within a millisecond of
 * its first sample. So the program notes it at that sample.
 */
#ifndef BPF_COUNT_TOLD_PROCESSES_H
#define BPF_COUNT_TOLD_PROCESSES_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/count/sample_filters.h"
#include "bpf/kernel.h"
#include "bpf/shared.h"

/*
 * The space ids (struct unwind_space) of processes that were told of, each at the place that its
 * upper bits name. A process that lost its place to another one is told of again.
 */
#define TOLD_BITS 13
_Static_assert(1 << TOLD_BITS == TOLD_PROCESSES_MAX, "a place for each that may wait");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << TOLD_BITS);
	__type(key, __u32);
	__type(value, __u64);
} told_spaces SEC(".maps");

/* A header of eight bytes, and the struct. */
#define TOLD_RECORD_SIZE 64
_Static_assert(sizeof(struct told_process) + 8 <= TOLD_RECORD_SIZE, "a record fits");

/*
 * There is room for as many processes as there are places, since thousands may have their first
 * sample, and end, while the recorder still begins.
 */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, TOLD_RECORD_SIZE << TOLD_BITS);
} told_processes SEC(".maps");

/* Pid namespaces in each other, the initial one among them, whose innermost id is told. */
#define TOLD_LEVELS 4

/* The id of process @leader in its own pid namespace, or 0. */
static __always_inline __u32 innermost_tgid(const struct task_struct *leader)
{
	struct pid *pid = leader->thread_pid;
	__u32 level = pid->level;

	if (!level || has_one_level())
		return level ? 0 : leader->tgid;
#pragma unroll
	for (__u32 i = 1; i < TOLD_LEVELS; i++)
		if (i == level)
			return pid->numbers[i].nr;
	return 0;
}

/* The process of the current task, whose cgroup is that of the task. */
__verified_once int send_process(__u32 tgid, __u64 now_ns)
{
	struct task_struct *leader = bpf_get_current_task_btf()->group_leader;
	struct told_process *told = bpf_ringbuf_reserve(&told_processes, sizeof(*told), 0);

	if (!told)
		return -1;
	told->time_ns = now_ns;
	told->cgroup = bpf_get_current_cgroup_id();
	told->tgid = tgid;
	told->ns_tgid = innermost_tgid(leader);
	told->uid = leader->cred->euid.val;
#pragma unroll
	for (__u32 i = 0; i < COMM_SIZE; i++)
		told->name[i] = leader->comm[i];
	bpf_ringbuf_submit(told, 0);
	return 0;
}

/*
 * Tells of the process of the current task, unless that was done. Call it when a set gets a count
 * of the process: each set begins with none, and usual samples need not ask. It is a function of
 * its own, since older kernels allow programs little stack.
 */
__verified_once int tell_process(__u32 tgid, __u64 space_id, __u64 now_ns)
{
	__u32 at = space_id >> (64 - TOLD_BITS);
	__u64 *place = bpf_map_lookup_elem(&told_spaces, &at);

	/* If the buffer is full, the next count of the process tries again. */
	if (place && *place != space_id && tgid && !send_process(tgid, now_ns))
		*place = space_id;
	return 0;
}

#endif
