/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few kernel types that the programs look into, with the fields they use and nothing else.
 * Offsets come from the running kernel's BTF (CO-RE), so neither order nor completeness matters.
 */
#ifndef BPF_KERNEL_H
#define BPF_KERNEL_H

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

struct mm_struct {
	unsigned long exec_vm; /* pages of executable mappings */
};

/* User space's registers, where it entered the kernel (x86-64). */
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di, orig_ax;
	unsigned long ip, cs, flags, sp, ss;
};

struct task_struct {
	int pid;
	int tgid;
	unsigned long long start_time;
	unsigned long long self_exec_id;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct nsproxy *nsproxy;
	struct signal_struct *signal;
	struct mm_struct *mm;
};

#pragma clang attribute pop

/* Context of perf_event programs (uapi/linux/bpf_perf_event.h); only helpers look into it here. */
struct bpf_perf_event_data;

#endif
