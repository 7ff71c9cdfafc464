/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of bpf/walk/unwind_step.h that x86-64 decides. That header alone includes this one. */
#ifndef BPF_WALK_UNWIND_STEP_X86_64_H
#define BPF_WALK_UNWIND_STEP_X86_64_H

/* Where the registers are in the kernel's struct ucontext: uc_mcontext. */
#define UNWIND_UCONTEXT_REGS 40

/*
 * Goes from the kernel's frame of a signal handler to the frame that the signal interrupted. The
 * order of the registers is that of struct sigcontext_64 (arch/x86/include/uapi/asm/sigcontext.h).
 */
static __always_inline enum stack_end unwind_step_signal(struct unwind_frame *f)
{
	__u64 *c = f->context;

	if (unwind_read(f, c, sizeof(f->context), f->sp + UNWIND_UCONTEXT_REGS))
		return STACK_END_UNREADABLE;
	for (int i = 0; i < 8; i++)
		f->regs[UNWIND_R8 + i] = c[i];
	f->regs[UNWIND_RDI] = c[8];
	f->regs[UNWIND_RSI] = c[9];
	f->regs[UNWIND_RBP] = c[10];
	f->regs[UNWIND_RBX] = c[11];
	f->regs[UNWIND_RDX] = c[12];
	f->regs[UNWIND_RAX] = c[13];
	f->regs[UNWIND_RCX] = c[14];
	f->regs[UNWIND_RSP] = f->sp = c[15];
	f->regs[UNWIND_RIP] = f->pc = c[16];
	f->fp_at = f->kept_at = 0;
	f->lost = 0;
	f->has_regs = 1;
	return STACK_GOES_ON;
}

/* The CFA in a stub of the PLT, which pushes a number from offset @pushed in it on. */
static __always_inline __u64 unwind_plt_cfa(const struct unwind_frame *f, __u32 pushed)
{
	return f->sp + 8 + ((f->pc & 15) >= pushed ? 8 : 0);
}

#define LEAF_CODE_BYTES 10 /* the byte before the instruction, and those from there on */

/* Do the bytes at @c set rbp up: mov %rsp,%rbp? */
static __always_inline bool is_frame_setup(const __u8 *c)
{
	return c[0] == 0x48 && ((c[1] == 0x89 && c[2] == 0xe5) || (c[1] == 0x8b && c[2] == 0xec));
}

/*
 * Where the return address is, if the instruction at @c + 1 tells: one that returns, or one of
 * those with which a function makes its frame: [endbr64;] push %rbp; mov %rsp,%rbp.
 */
static __always_inline enum unwind_leaf leaf_of_code(const __u8 *c)
{
	bool is_marked = c[1] == 0xf3 && c[2] == 0x0f && c[3] == 0x1e && c[4] == 0xfa;

	if (c[1] == 0xc3 || c[1] == 0xc2 || ((c[1] == 0xf3 || c[1] == 0xf2) && c[2] == 0xc3))
		return UNWIND_LEAF_RETURN;
	if ((is_marked && c[5] == 0x55 && is_frame_setup(c + 6)) ||
	    (c[1] == 0x55 && is_frame_setup(c + 2)))
		return UNWIND_LEAF_RETURN;
	return c[0] == 0x55 && is_frame_setup(c + 1) ? UNWIND_LEAF_PUSHED : UNWIND_LEAF_UNKNOWN;
}

/*
 * Goes from frame @f, which has its return address @where that is not in a frame of its own, to
 * its caller. Returns as unwind_step.
 */
static __always_inline enum stack_end unwind_step_from_leaf(struct unwind_frame *f,
							    enum unwind_leaf where)
{
	__u64 at = f->sp + (where == UNWIND_LEAF_PUSHED ? 8 : 0), pc = 0;

	if (unwind_read(f, &pc, sizeof(pc), at))
		return STACK_END_UNREADABLE;
	if (where == UNWIND_LEAF_PUSHED)
		f->fp_at = f->sp;
	f->pc = pc;
	f->sp = at + sizeof(pc);
	f->has_regs = 0;
	return pc ? STACK_GOES_ON : STACK_END_ROOT;
}

#endif
