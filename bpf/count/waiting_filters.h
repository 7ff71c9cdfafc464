/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which waits the user wants: the filters of samples, for tasks that are not the current one. The
 * kernel's helpers know only the current task. So these functions look into the task.
 */
#ifndef BPF_COUNT_WAITING_FILTERS_H
#define BPF_COUNT_WAITING_FILTERS_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/count/sample_filters.h"
#include "bpf/setting.h"

/* Set before load. */
__setting __u64 wanted_cgroup;   /* the id of the directory in cgroups, for filter_cgroup */
__setting bool wait_cpus_chosen; /* the user does not want the waits of all CPUs */
__setting __u64 wait_cpus[WAIT_CPUS_MAX / 64]; /* a bit for each CPU that is wanted */

/* Directories of cgroup v2 that are looked at, from that of a task up. */
#define CGROUP_LEVELS 32

/* A wait belongs to the CPU that the thread left. */
static __always_inline bool is_wanted_cpu(__u32 cpu)
{
	if (!wait_cpus_chosen)
		return true;
	return cpu < WAIT_CPUS_MAX && wait_cpus[cpu / 64 % (WAIT_CPUS_MAX / 64)] >> cpu % 64 & 1;
}

/*
 * The directory above @dir, or NULL. The barriers keep the compiler from using the offset of a
 * field that the kernel does not have.
 */
static __noinline struct kernfs_node *directory_above(struct kernfs_node *dir)
{
	struct kernfs_node___since_6_15 *since = (void *)dir;

	if (bpf_core_field_exists(since->__parent)) {
		asm volatile("" ::: "memory");
		return since->__parent;
	}
	asm volatile("" ::: "memory");
	return dir->parent;
}

/* Is @task in the cgroups that the user wants? */
static __always_inline bool is_task_in_cgroups(struct task_struct *task)
{
	struct css_set *set = task->cgroups;
	struct cgroup *cgroup = set ? set->dfl_cgrp : NULL;
	struct kernfs_node *dir = cgroup ? cgroup->kn : NULL;
	__u64 id = dir ? dir->id : 0;

	if (filter_cgroup_ids && !bpf_map_lookup_elem(&cgroup_ids, &id))
		return false;
	if (!filter_cgroup)
		return true;
	for (int i = 0; i < CGROUP_LEVELS && dir; i++) {
		if (dir->id == wanted_cgroup)
			return true;
		dir = directory_above(dir);
	}
	return false;
}

static __always_inline bool is_of_user(struct task_struct *task)
{
	const struct cred *cred = task->cred;

	return cred && cred->uid.val == wanted_uid;
}

/*
 * Can the ids of tasks be told that are not the current one? If not, visible_tgid() gives those of
 * the current task.
 */
static __always_inline bool can_see_others(void)
{
	return !pidns_inum || !has_one_level();
}

/* As is_wanted(), for any task. */
static __always_inline bool is_wanted_task(struct task_struct *task, __u32 tgid, const char *comm)
{
	const __u64 *words = (const __u64 *)comm;

	if (!tgid || !is_wanted_cpu(task->wake_cpu) || !is_asked_for(task, tgid))
		return false;
	if (filter_comm && (words[0] != wanted_comm[0] || words[1] != wanted_comm[1]))
		return false;
	if (filter_uid && !is_of_user(task))
		return false;
	if (!is_in_mntns(task))
		return false;
	return (!filter_cgroup && !filter_cgroup_ids) || is_task_in_cgroups(task);
}

#endif
