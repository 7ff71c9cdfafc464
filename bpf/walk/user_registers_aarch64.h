/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BPF_WALK_USER_REGISTERS_AARCH64_H
#define BPF_WALK_USER_REGISTERS_AARCH64_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/walk/unwind.h"

static __always_inline void load_regs(__u64 *to, const struct pt_regs *regs)
{
#define LOAD(n)      to[n] = regs->regs[n];
#define LOAD_FOUR(n) LOAD(n) LOAD((n) + 1) LOAD((n) + 2) LOAD((n) + 3)
	LOAD_FOUR(0)
	LOAD_FOUR(4)
	LOAD_FOUR(8)
	LOAD_FOUR(12)
	LOAD_FOUR(16)
	LOAD_FOUR(20)
	LOAD_FOUR(24)
	LOAD(28)
	LOAD(29)
	LOAD(30)
#undef LOAD_FOUR
#undef LOAD
	to[UNWIND_SP] = regs->sp;
	to[UNWIND_PC] = regs->pc;
}

static __always_inline __u64 regs_pc(const struct pt_regs *regs)
{
	return regs->pc;
}

static __always_inline __u64 regs_sp(const struct pt_regs *regs)
{
	return regs->sp;
}

static __always_inline __u64 regs_fp(const struct pt_regs *regs)
{
	return regs->regs[UNWIND_X29];
}

/* Has a call left the return address in a register? Then it is *@address. */
static __always_inline bool regs_have_return(const struct pt_regs *regs, __u64 *address)
{
	*address = PLAIN_RETURN(regs->regs[UNWIND_X30]);
	return true;
}

/* The trampoline of return probes is a breakpoint alone. */
#define TRAMPOLINE_PROBE_DONE   0
#define TRAMPOLINE_PUSHED_BYTES 0

static __always_inline __u64 trampoline_return_at(__u64 off, __u64 sp)
{
	return 0 * (off + sp);
}

/* Are they those of 64-bit code, which alone can be walked? */
static __always_inline bool regs_are_64_bit(const struct pt_regs *regs)
{
	return !(regs->pstate & USER_MODE_32_BIT);
}

/* Where pstate is in struct user_pt_regs. */
#define CONTEXT_PSTATE 264

/*
 * Did the sample hit 64-bit code in user space? 1 or 0. Registers without pstate are those of
 * another architecture. There is no branch. After one, the verifier would go through the whole
 * program twice.
 */
static __always_inline int sample_hit_user(const struct bpf_perf_event_data *ctx)
{
	__u64 mode;

	if (!bpf_core_field_exists(struct pt_regs, pstate))
		return 0;
	mode = *(const __u64 *)((const char *)ctx + CONTEXT_PSTATE) & USER_MODE_MASK;
	barrier_var(mode); /* else the compiler makes a branch of it */
	return (int)((mode - 1) >> 63);
}

/* Numbers of system calls (include/uapi/asm-generic/unistd.h), and the instruction. */
#define NR_EXECVE    221
#define NR_EXECVEAT  281
#define SYSCALL_INSN 0xd4000001

/* Is the code at the registers' address not that which has called exec? */
static __always_inline bool has_foreign_regs(const struct pt_regs *regs)
{
	__u32 insn = 0;

	if (!bpf_core_field_exists(regs->syscallno))
		return false; /* another architecture */
	if (regs->syscallno != NR_EXECVE && regs->syscallno != NR_EXECVEAT)
		return false;
	bpf_probe_read_user(&insn, sizeof(insn), (void *)(regs->pc - sizeof(insn)));
	return insn != SYSCALL_INSN;
}

static __always_inline bool has_thread_pointer(const struct task_struct *task)
{
	return bpf_core_field_exists(task->thread.uw.tp_value);
}

static __always_inline __u64 thread_pointer(const struct task_struct *task)
{
	return task->thread.uw.tp_value;
}

/* The g of a goroutine's code, which the thread has only in programs with code in C. */
static __always_inline __u64 regs_go_g(const struct pt_regs *regs)
{
	return regs->regs[28];
}

/* Keeps the compiler from merging reads into one at an offset that is not constant. */
#define KEEP_APART(v) asm volatile("" : "+r"(v))

/* Argument @nr of a function, from 1. */
static __always_inline __u64 argument_of(struct pt_regs *ctx, __u32 nr)
{
	__u64 v = 0;

#define ARGUMENT(n)                                                                                \
	if (nr == (n)) {                                                                           \
		v = ctx->regs[(n)-1];                                                              \
		KEEP_APART(v);                                                                     \
		return v;                                                                          \
	}
	ARGUMENT(1)
	ARGUMENT(2)
	ARGUMENT(3)
	ARGUMENT(4)
	ARGUMENT(5)
	ARGUMENT(6)
#undef ARGUMENT
	return v;
}

/* The first four arguments of a system call, by the conventions of both kinds. */
static __always_inline void load_call_arguments(__u64 to[4], const struct pt_regs *regs,
						bool is_32_bit)
{
	to[0] = is_32_bit ? (__u32)regs->orig_x0 : regs->orig_x0;
	to[1] = is_32_bit ? (__u32)regs->regs[1] : regs->regs[1];
	to[2] = is_32_bit ? (__u32)regs->regs[2] : regs->regs[2];
	to[3] = regs->regs[3];
}

#endif
