/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel types that the programs look into, each with the fields that they use and no others.
 * Offsets come from the running kernel's BTF (CO-RE), so the order of the fields does not matter.
 */
#ifndef BPF_KERNEL_H
#define BPF_KERNEL_H

#include "bpf/host_arch.h"

#ifdef BPF_HOST_ARCH_X86_64_H
#include "bpf/kernel_x86_64.h"
#endif
#ifdef BPF_HOST_ARCH_AARCH64_H
#include "bpf/kernel_aarch64.h"
#endif

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

enum pid_type {
	PIDTYPE_PID,
	PIDTYPE_TGID,
	PIDTYPE_MAX = 4,
};

struct signal_struct {
	struct pid *pids[PIDTYPE_MAX];
};

struct mnt_namespace {
	struct ns_common ns;
};

struct nsproxy {
	struct mnt_namespace *mnt_ns;
};

struct super_block {
	unsigned int s_dev;
};

struct timespec64 {
	long long tv_sec;
	long tv_nsec;
};

struct inode {
	unsigned long i_ino;
	struct super_block *i_sb;
	long long i_size;
	long long i_ctime_sec;
	unsigned int i_ctime_nsec;   /* the upper two bits are flags */
	struct timespec64 __i_ctime; /* before Linux 6.11 */
	struct timespec64 i_ctime;   /* before Linux 6.6 */
};

struct file {
	struct inode *f_inode;
};

/* The page of a process that met a uprobe, [uprobes]: a trampoline, and slots for instructions. */
struct xol_area {
	unsigned long vaddr;
};

struct uprobes_state {
	struct xol_area *xol_area;
};

/* A call that ends in the trampoline, because its function has a return probe. */
struct return_instance {
	unsigned long stack; /* sp at the function's entry */
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};

struct uprobe_task {
	struct return_instance *return_instances; /* the latest call first */
	unsigned long vaddr;                      /* of the instruction that runs in a slot */
	unsigned long xol_vaddr;                  /* the slot; 0: none runs there */
};

struct mm_struct {
	struct file *exe_file;
	unsigned long exec_vm; /* pages of executable mappings */
	unsigned long start_code, end_code;
	unsigned long start_stack; /* the program's arguments, above the stack of the main thread */
	struct uprobes_state uprobes_state;
};

struct vm_area_struct {
	unsigned long vm_start, vm_end;
	unsigned long vm_pgoff; /* pages */
	struct file *vm_file;
	unsigned long vm_flags;
};

struct kernfs_node {
	struct kernfs_node *parent; /* before Linux 6.15 */
	unsigned long long id;
};

struct kernfs_node___since_6_15 {
	struct kernfs_node *__parent;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp; /* in the tree of cgroup v2 */
};

typedef struct {
	unsigned int val;
} kuid_t;

struct cred {
	kuid_t uid, euid;
};

struct sched_entity {
	unsigned long long sum_exec_runtime; /* nanoseconds on the CPU */
};

struct task_struct {
	unsigned int __state;
	int on_cpu;
	int wake_cpu; /* the CPU that it ran on */
	int pid;
	int tgid;
	unsigned long long start_time;
	unsigned long long parent_exec_id, self_exec_id; /* equal until the task calls exec */
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct nsproxy *nsproxy;
	struct css_set *cgroups;
	const struct cred *cred;
	struct signal_struct *signal;
	struct mm_struct *mm;
	struct thread_struct thread;
	struct sched_entity se;
	struct uprobe_task *utask;   /* NULL: it has met no uprobe */
	unsigned long nvcsw, nivcsw; /* how often it left the CPU by itself, and for another task */
	char comm[16];
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

/* Context of a program that an iterator over all tasks runs. */
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

/*
 * A function that is neither inlined nor static. The kernel verifies such a function once, not for
 * every path that leads to it. So its arguments are numbers, or pointers to structs that it
 * compares with NULL, and it must return a number.
 */
#define __verified_once __noinline

/*
 * A static function that stands once in a program. The kernel replaces lookups in maps and loops by
 * instructions, and for each of them it copies all that it knows of the program. That costs a start
 * half a millisecond each on a slow machine.
 */
#define __patched_once __noinline

/* Context of perf_event programs (uapi/linux/bpf_perf_event.h). Only helpers look into it. */
struct bpf_perf_event_data;

#endif
