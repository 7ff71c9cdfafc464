/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which samples the user wants. A filter that nobody asked for is a constant to the verifier, which
 * removes its code. So a recording without filters pays for none.
 */
#ifndef BPF_COUNT_SAMPLE_FILTERS_H
#define BPF_COUNT_SAMPLE_FILTERS_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "bpf/kernel.h"
#include "bpf/setting.h"
#include "bpf/shared.h"

/* Set before load. */
__setting __u32 pidns_inum; /* 0: the initial namespace, ids need no translation */
__setting __u64 pidns_dev;  /* of the namespace's file */
__setting bool filter_ids;
__setting bool ids_are_threads;
__setting bool follow_forks;
__setting bool filter_comm;
__setting __u64 wanted_comm[COMM_SIZE / sizeof(__u64)];
__setting bool filter_uid;
__setting __u32 wanted_uid;
__setting __u32 wanted_mntns; /* 0: any */
__setting bool filter_cgroup;
__setting bool filter_cgroup_ids;
__setting bool filter_mntns_ids;
__setting bool keep_tids; /* counts are of threads by their ids, too */

/* The processes or threads that the user asked for, by id in the recorder's namespace. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u8);
} ids SEC(".maps");

/*
 * Marks the tasks that are followed: descendants of the command, or of the processes that the user
 * asked for (enum follow_mark). The mark goes away with the task, so a reused id has none.
 */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u8);
} followed SEC(".maps");

/* Children that should have a mark and have none, because the kernel had no memory for it. */
__u64 nr_unmarked;

/* The cgroup v2 directory that the user asked for. */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} cgroups SEC(".maps");

/*
 * Stand for maps that other programs have pinned and may change at any time. A key in such a map
 * means that its samples are wanted.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u64));
	__uint(value_size, sizeof(__u64));
} cgroup_ids SEC(".maps"), mntns_ids SEC(".maps");

/* Levels of pid namespaces: the initial one, and the kernel's MAX_PID_NS_LEVEL below it. */
#define PIDNS_LEVELS 33

/* The number of @pid in the recorder's pid namespace; 0 if it is not visible there. */
static __always_inline __u32 visible_nr(struct pid *pid)
{
#pragma unroll
	for (unsigned int i = 0; i < PIDNS_LEVELS; i++) {
		if (i > pid->level)
			break;
		if (pid->numbers[i].ns->ns.inum == pidns_inum)
			return pid->numbers[i].nr;
	}
	return 0;
}

/*
 * Before Linux 6.5 the kernel declares numbers[1], and the verifier lets no program look at a
 * second level. There the kernel's helper must do. It knows only the current task, and only if the
 * recorder's namespace is the innermost one of the task.
 */
static __always_inline bool has_one_level(void)
{
	return bpf_core_field_size(struct pid, numbers) != 0;
}

static __always_inline __u32 visible_tgid(struct task_struct *task)
{
	struct bpf_pidns_info current = {};

	if (!pidns_inum)
		return task->tgid;
	if (!has_one_level())
		return visible_nr(task->signal->pids[PIDTYPE_TGID]);
	bpf_get_ns_current_pid_tgid(pidns_dev, pidns_inum, &current, sizeof(current));
	return current.tgid;
}

static __always_inline __u32 visible_tid(struct task_struct *task)
{
	struct bpf_pidns_info current = {};

	if (!pidns_inum)
		return task->pid;
	if (!has_one_level())
		return visible_nr(task->thread_pid);
	bpf_get_ns_current_pid_tgid(pidns_dev, pidns_inum, &current, sizeof(current));
	return current.pid;
}

/* The id of the thread in the key of a count. */
static __always_inline __u32 kept_tid(struct task_struct *task)
{
	return keep_tids ? visible_tid(task) : 0;
}

static __always_inline bool has_mark(struct task_struct *task)
{
	const __u8 *mark = bpf_task_storage_get(&followed, task, 0, 0);

	return mark && (*mark != FOLLOW_FROM_EXEC || task->self_exec_id != task->parent_exec_id);
}

static __always_inline bool is_marked(struct task_struct *task)
{
	/* Threads that ran before the recording have no mark. The mark of their leader counts. */
	return has_mark(task) || has_mark(task->group_leader);
}

static __always_inline bool is_asked_for(struct task_struct *task, __u32 tgid)
{
	__u32 id = ids_are_threads ? visible_tid(task) : tgid;

	if (filter_ids && bpf_map_lookup_elem(&ids, &id))
		return true;
	if (follow_forks && is_marked(task))
		return true;
	return !filter_ids && !follow_forks;
}

static __always_inline bool is_in_mntns(struct task_struct *task)
{
	/* An exiting task has no nsproxy. A load through NULL gives 0, which no namespace has. */
	__u64 mntns = wanted_mntns || filter_mntns_ids ? task->nsproxy->mnt_ns->ns.inum : 0;

	if (wanted_mntns && mntns != wanted_mntns)
		return false;
	return !filter_mntns_ids || bpf_map_lookup_elem(&mntns_ids, &mntns);
}

/* Is the current task in the cgroups that the user wants? */
static __always_inline bool is_in_cgroups(void)
{
	__u64 cgroup = filter_cgroup_ids ? bpf_get_current_cgroup_id() : 0;

	if (filter_cgroup_ids && !bpf_map_lookup_elem(&cgroup_ids, &cgroup))
		return false;
	return !filter_cgroup || bpf_current_task_under_cgroup(&cgroups, 0) == 1;
}

/*
 * Is a sample of the current task wanted? @tgid is visible_tgid(@task). @comm is the name of the
 * task, filled up with 0 to COMM_SIZE.
 */
static __always_inline bool is_wanted(struct task_struct *task, __u32 tgid, const char *comm)
{
	const __u64 *words = (const __u64 *)comm;

	if (task->pid && !tgid)
		return false; /* of a pid namespace that the recorder cannot see */
	if (!is_asked_for(task, tgid))
		return false;
	if (filter_comm && (words[0] != wanted_comm[0] || words[1] != wanted_comm[1]))
		return false;
	if (filter_uid && (__u32)bpf_get_current_uid_gid() != wanted_uid)
		return false;
	return is_in_mntns(task) && is_in_cgroups();
}

/* Marks a child of a followed task, and with --follow a child of a process asked for by id. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(follow_child, struct task_struct *parent, struct task_struct *child)
{
	__u32 tgid = visible_tgid(parent);

	if (!(filter_ids && bpf_map_lookup_elem(&ids, &tgid)) && !is_marked(parent))
		return 0;
	if (!bpf_task_storage_get(&followed, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE))
		__sync_fetch_and_add(&nr_unmarked, 1);
	return 0;
}

#endif
