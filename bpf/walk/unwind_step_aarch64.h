/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of bpf/walk/unwind_step.h that arm64 decides. That header alone includes this one. */
#ifndef BPF_WALK_UNWIND_STEP_AARCH64_H
#define BPF_WALK_UNWIND_STEP_AARCH64_H

/*
 * Where the registers are in the kernel's struct rt_sigframe: behind siginfo, in the uc_mcontext of
 * struct ucontext, without its fault_address. Their order is that of enum unwind_reg.
 */
#define UNWIND_FRAME_REGS (128 + 176 + 8)

/* A step along fp does not tell the caller's sp, which may be any above. */
#define UNWIND_SP_IS_LOST(f) ((f)->lost & 1u << UNWIND_REG_SP)

/*
 * Goes from the kernel's code to which a signal handler returns to the frame that the signal
 * interrupted.
 */
static __always_inline enum stack_end unwind_step_signal(struct unwind_frame *f)
{
	if (UNWIND_SP_IS_LOST(f))
		return STACK_END_NO_TABLE;
	if (unwind_read(f, f->regs, sizeof(f->regs), f->sp + UNWIND_FRAME_REGS))
		return STACK_END_UNREADABLE;
	f->sp = f->regs[UNWIND_SP];
	f->pc = f->regs[UNWIND_PC];
	f->fp_at = f->kept_at = 0;
	f->lost = 0;
	f->has_regs = 1;
	return STACK_GOES_ON;
}

/* No linker makes a rule of this kind. */
static __always_inline __u64 unwind_plt_cfa(const struct unwind_frame *f, __u32 pushed)
{
	return f->sp + 0 * pushed;
}

/* unwind_read takes reads of 8 bytes for words of the stack, so code is read in other sizes. */
#define CALL_BYTES 4

static __always_inline __u32 instruction_at(const __u8 *c)
{
	return c[0] | (__u32)c[1] << 8 | (__u32)c[2] << 16 | (__u32)c[3] << 24;
}

/* The call that is in the CALL_BYTES bytes at @c: bl; blr, also of a signed address. */
static __always_inline enum call_kind call_kind_of(const __u8 *c)
{
	__u32 insn = instruction_at(c);

	if ((insn & 0xfc000000) == 0x94000000)
		return CALL_DIRECT;
	return (insn & 0xfefff000) == 0xd63f0000 ? CALL_INDIRECT : CALL_NONE;
}

/* Where the call before @pc leads, bl, whose bytes are @insn. */
static __always_inline __u64 call_target_of(__u64 pc, __u32 insn)
{
	return pc - sizeof(insn) + ((__s64)((__u64)insn << 38) >> 36);
}

#define STUB_BYTES 4

/* Does a stub of the PLT begin with the bytes at @c: adrp x16, or bti c before it? */
static __always_inline bool begins_stub(const __u8 *c)
{
	__u32 insn = instruction_at(c);

	return (insn & 0x9f00001f) == 0x90000010 || insn == 0xd503245f;
}

/* Is all there that rule @r needs? */
static __always_inline bool unwind_can_step(const struct unwind_frame *f,
					    const struct unwind_rule *r)
{
	return !UNWIND_SP_IS_LOST(f) || r->cfa_reg != UNWIND_REG_SP || r->ra == UNWIND_RA_UNDEFINED;
}

/*
 * Finds the address to which @f returns, by rule @r, whose CFA is @cfa. That is what the caller had
 * in x30. Once it is there, no walk needs x30 any more, because each call changes it.
 */
static __always_inline enum stack_end
unwind_find_return(struct unwind_frame *f, const struct unwind_rule *r, __u64 cfa, __u64 *pc)
{
	f->lost &= ~(1u << UNWIND_REG_SP);
	if (r->ra == UNWIND_RA_KEPT && r->kept == UNWIND_SAVED_CFA) {
		if (unwind_read(f, pc, sizeof(*pc), cfa + (__s64)r->kept_off))
			return STACK_END_UNREADABLE;
	} else if (r->ra == UNWIND_RA_REG && f->has_regs && r->ra_reg < UNWIND_NR_REGS) {
		*pc = f->regs[r->ra_reg];
	} else if (r->ra == UNWIND_RA_KEPT && r->kept == UNWIND_SAVED_SAME && f->has_regs) {
		*pc = f->regs[UNWIND_X30];
	} else {
		return STACK_END_BAD_RULE;
	}
	*pc = PLAIN_RETURN(*pc);
	return STACK_GOES_ON;
}

/* The place of the return address by rule @r, whose CFA is @cfa. */
static __always_inline __u64 unwind_return_place(const struct unwind_rule *r, __u64 cfa)
{
	return cfa + (__s64)r->kept_off;
}

/* Finds the goroutine that the stack of the thread counts as: code of Go has it in x28. */
static __always_inline enum stack_end unwind_find_g(const struct unwind_frame *f,
						    const struct unwind_rule *r, __u64 *g)
{
	(void)r;
	*g = f->regs[28];
	return STACK_GOES_ON;
}

/*
 * Does the thread @m, on which goroutine @curg runs, run on the stack of @g? Code of C has
 * something else in x28. The first word of a thread is the goroutine of its own stack.
 */
static __always_inline bool unwind_is_g(const struct unwind_frame *f, __u64 g, __u64 m, __u64 curg)
{
	__u64 own = 0;

	return curg == g || (!unwind_read(f, &own, sizeof(own), m) && own == g);
}

/*
 * The CFA of a function of Go's runtime with a frame of 16 bytes, whose stack pointer was @sp: x30
 * is there, and x29 a word below.
 */
static __always_inline __u64 unwind_go_frame(struct unwind_frame *f, __u64 sp)
{
	f->fp_at = sp - sizeof(sp);
	f->lost &= ~(1u << UNWIND_REG_FP);
	return sp + 2 * sizeof(sp);
}

/*
 * Notes what else is known of a caller on another stack. If it was left in the middle, its stack
 * pointer is at @saved, and rule @r says where the same goroutine has its x30.
 */
static __always_inline enum stack_end
unwind_note_elsewhere(struct unwind_frame *f, const struct unwind_rule *r, __u64 saved)
{
	f->lost &= ~(1u << UNWIND_REG_SP);
	if (!saved || r->cfa_reg != UNWIND_REG_PC)
		return STACK_GOES_ON;
	if (unwind_read(f, &f->regs[UNWIND_X30], sizeof(f->regs[0]),
			saved - (__s64)r->kept_off + (__s64)r->cfa_off))
		return STACK_END_UNREADABLE;
	f->kept_at = 0;
	f->lost &= ~UNWIND_LOST_KEPT;
	f->has_regs = 1;
	return STACK_GOES_ON;
}

/* Notes the caller's stack pointer, as far as it is known. */
static __always_inline void unwind_note_pointer(struct unwind_frame *f, __u64 fp)
{
	f->sp = fp + 16;
	f->lost |= 1u << UNWIND_REG_SP;
}

/* mov x8, #__NR_rt_sigreturn; svc #0 */
#define SIGRETURN_MOV 0xd2801168
#define SIGRETURN_SVC 0xd4000001

/*
 * Is the code, of which no table knows, that to which a handler of a signal returns? A C library
 * may have its own. The vdso has a table (record/cfi/bare_vdso.h).
 */
static __always_inline bool unwind_is_handler_return(const struct unwind_frame *f)
{
	__u32 c[4]; /* two instructions before, and two from there on */

	if (unwind_read(f, c, sizeof(c), f->pc - 8))
		return false;
	return (c[2] == SIGRETURN_MOV && c[3] == SIGRETURN_SVC) ||
	       (f->has_regs && ((c[1] == SIGRETURN_MOV && c[2] == SIGRETURN_SVC) ||
				(c[0] == SIGRETURN_MOV && c[1] == SIGRETURN_SVC)));
}

/*
 * Bytes of code that tell, some of them before the instruction. The last ones do not, but without
 * them a read would have the 8 bytes of a word.
 */
#define LEAF_BYTES_BEFORE 4
#define LEAF_CODE_BYTES   16

/* stp x29, x30, [sp, #-N]! */
static __always_inline bool is_frame_push(__u32 insn)
{
	return (insn & 0xffe07fff) == 0xa9a07bfd;
}

/* ret, retaa, retab; br x16, br x17 of stubs */
static __always_inline bool is_function_left(__u32 insn)
{
	return insn == 0xd65f03c0 || insn == 0xd65f0bff || insn == 0xd65f0fff ||
	       insn == 0xd61f0200 || insn == 0xd61f0220;
}

/* adrp x16; ldr x17, [x16, #N]; add x16, x16, #N */
static __always_inline bool is_stub(__u32 insn)
{
	return (insn & 0x9f00001f) == 0x90000010 || (insn & 0xffc003ff) == 0xf9400211 ||
	       (insn & 0xffc003ff) == 0x91000210;
}

/* bti c; paciasp; pacibsp */
static __always_inline bool is_entry_mark(__u32 insn)
{
	return insn == 0xd503245f || insn == 0xd503233f || insn == 0xd503237f;
}

/*
 * Where the return address is, if the instruction at @c + 4 tells: one that leaves the function, or
 * one of those with which it makes its frame: stp x29, x30, [sp, #-N]!; mov x29, sp.
 */
static __always_inline enum unwind_leaf leaf_of_code(const __u8 *c)
{
	__u32 before = instruction_at(c), insn = instruction_at(c + 4);

	if (is_frame_push(insn) || is_function_left(insn) || is_stub(insn) || is_entry_mark(insn))
		return UNWIND_LEAF_RETURN;
	return is_frame_push(before) && insn == 0x910003fd ? UNWIND_LEAF_PUSHED
							   : UNWIND_LEAF_UNKNOWN;
}

/*
 * Finds the return address of frame @f, which has it @where that is not in a frame of its own.
 * Returns 0, or another number on failure.
 */
static __always_inline long unwind_leaf_return(const struct unwind_frame *f, enum unwind_leaf where,
					       __u64 *pc)
{
	*pc = f->regs[UNWIND_X30];
	if (where == UNWIND_LEAF_PUSHED && unwind_read(f, pc, sizeof(*pc), f->sp + 8))
		return -1;
	*pc = PLAIN_RETURN(*pc);
	return 0;
}

/* Goes from that frame to its caller, apart from the address. */
static __always_inline void unwind_leave_leaf(struct unwind_frame *f, enum unwind_leaf where)
{
	if (where != UNWIND_LEAF_PUSHED)
		return;
	f->fp_at = f->sp;
	unwind_note_pointer(f, f->sp);
}

#endif
