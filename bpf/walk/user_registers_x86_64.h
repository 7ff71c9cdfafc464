/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BPF_WALK_USER_REGISTERS_X86_64_H
#define BPF_WALK_USER_REGISTERS_X86_64_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/walk/unwind.h"

static __always_inline void load_regs(__u64 *to, const struct pt_regs *regs)
{
	to[UNWIND_RAX] = regs->ax;
	to[UNWIND_RDX] = regs->dx;
	to[UNWIND_RCX] = regs->cx;
	to[UNWIND_RBX] = regs->bx;
	to[UNWIND_RSI] = regs->si;
	to[UNWIND_RDI] = regs->di;
	to[UNWIND_RBP] = regs->bp;
	to[UNWIND_RSP] = regs->sp;
	to[UNWIND_R8] = regs->r8;
	to[UNWIND_R9] = regs->r9;
	to[UNWIND_R10] = regs->r10;
	to[UNWIND_R11] = regs->r11;
	to[UNWIND_R12] = regs->r12;
	to[UNWIND_R13] = regs->r13;
	to[UNWIND_R14] = regs->r14;
	to[UNWIND_R15] = regs->r15;
	to[UNWIND_RIP] = regs->ip;
}

static __always_inline __u64 regs_pc(const struct pt_regs *regs)
{
	return regs->ip;
}

static __always_inline __u64 regs_sp(const struct pt_regs *regs)
{
	return regs->sp;
}

static __always_inline __u64 regs_fp(const struct pt_regs *regs)
{
	return regs->bp;
}

/* Has a call left the return address in a register? Then it is *@address. */
static __always_inline bool regs_have_return(const struct pt_regs *regs, __u64 *address)
{
	(void)regs, (void)address;
	return false;
}

/*
 * Offset in the trampoline of return probes where the kernel has run the probe: the instruction
 * after its system call (arch/x86/kernel/uprobes.c, since Linux 6.11). Before that, the trampoline
 * was a breakpoint alone.
 */
#define TRAMPOLINE_PROBE_DONE 13

/* On its way there it pushes so many bytes. */
#define TRAMPOLINE_PUSHED_BYTES 24

/*
 * Where the trampoline has the address to which it returns, from its instruction at @off on: pop
 * %r11; pop %rcx; ret. 0: there it has none.
 */
static __always_inline __u64 trampoline_return_at(__u64 off, __u64 sp)
{
	if (off == TRAMPOLINE_PROBE_DONE)
		return sp + 16;
	if (off == TRAMPOLINE_PROBE_DONE + 2)
		return sp + 8;
	return off == TRAMPOLINE_PROBE_DONE + 3 ? sp : 0;
}

/* Are they those of 64-bit code, which alone can be walked? */
static __always_inline bool regs_are_64_bit(const struct pt_regs *regs)
{
	return regs->cs == USER_CS;
}

/* Where the selector of the code is in struct pt_regs. */
#define CONTEXT_CS 136

/*
 * Did the sample hit 64-bit code in user space? 1 or 0. The verifier allows reads of whole words
 * only, and struct pt_regs has a half one there in newer kernels. Registers without orig_ax are
 * those of another architecture.
 *
 * There is no branch. After one, the verifier would go through the whole program twice.
 */
static __always_inline int sample_hit_user(const struct bpf_perf_event_data *ctx)
{
	__u64 differs;

	if (!bpf_core_field_exists(struct pt_regs, orig_ax))
		return 0;
	differs = (*(const __u64 *)((const char *)ctx + CONTEXT_CS) & 0xffff) ^ USER_CS;
	barrier_var(differs); /* else the compiler makes a branch of it */
	return (int)((differs - 1) >> 63);
}

/* Numbers of system calls (arch/x86/entry/syscalls/syscall_64.tbl), and the instruction. */
#define NR_EXECVE    59
#define NR_EXECVEAT  322
#define SYSCALL_INSN 0x050f

/* Is the code at the registers' address not that which has called exec? */
static __always_inline bool has_foreign_regs(const struct pt_regs *regs)
{
	__u16 insn = 0;

	if (!bpf_core_field_exists(regs->orig_ax))
		return false; /* another architecture */
	if (regs->orig_ax != NR_EXECVE && regs->orig_ax != NR_EXECVEAT)
		return false;
	bpf_probe_read_user(&insn, sizeof(insn), (void *)(regs->ip - sizeof(insn)));
	return insn != SYSCALL_INSN;
}

static __always_inline bool has_thread_pointer(const struct task_struct *task)
{
	return bpf_core_field_exists(task->thread.fsbase);
}

static __always_inline __u64 thread_pointer(const struct task_struct *task)
{
	return task->thread.fsbase;
}

/* The g of a goroutine's code, where a register holds it. Here the thread has it alone. */
static __always_inline __u64 regs_go_g(const struct pt_regs *regs)
{
	(void)regs;
	return 0;
}

/* Keeps the compiler from merging reads into one at an offset that is not constant. */
#define KEEP_APART(v) asm volatile("" : "+r"(v))

/* Argument @nr of a function, from 1 (ABI, 3.2.3). */
static __always_inline __u64 argument_of(struct pt_regs *ctx, __u32 nr)
{
	__u64 v = 0;

#define ARGUMENT(n, reg)                                                                           \
	if (nr == (n)) {                                                                           \
		v = ctx->reg;                                                                      \
		KEEP_APART(v);                                                                     \
		return v;                                                                          \
	}
	ARGUMENT(1, di)
	ARGUMENT(2, si)
	ARGUMENT(3, dx)
	ARGUMENT(4, cx)
	ARGUMENT(5, r8)
	ARGUMENT(6, r9)
#undef ARGUMENT
	return v;
}

/* The first four arguments of a system call, by the conventions of both kinds. */
static __always_inline void load_call_arguments(__u64 to[4], const struct pt_regs *regs,
						bool is_32_bit)
{
	if (is_32_bit) {
		to[0] = (__u32)regs->bx;
		to[1] = (__u32)regs->cx;
		to[2] = (__u32)regs->dx;
		to[3] = regs->si;
	} else {
		to[0] = regs->di;
		to[1] = regs->si;
		to[2] = regs->dx;
		to[3] = regs->r10;
	}
}

#endif
