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

/*
 * The longest call: ff 94, index byte, four bytes of an offset. unwind_read takes reads of 8 bytes
 * for words of the stack, so code is read in other sizes.
 */
#define CALL_BYTES 7

/* Is the operand of an indirect call at @modrm, and are @len bytes those of the operand? */
static __always_inline bool is_call_operand(__u8 modrm, __u32 len)
{
	__u32 bytes = 1 + ((modrm & 7) == 4 && modrm < 0xc0);

	if ((modrm & 0x38) != 0x10)
		return false;
	if (modrm >> 6 == 1)
		bytes += 1;
	else if (modrm >> 6 == 2 || (modrm & 0xc7) == 5)
		bytes += 4;
	return bytes == len;
}

/* The call with which the CALL_BYTES bytes at @c end. */
static __always_inline enum call_kind call_kind_of(const __u8 *c)
{
	if ((c[5] == 0xff && is_call_operand(c[6], 1)) ||
	    (c[4] == 0xff && is_call_operand(c[5], 2)) ||
	    (c[3] == 0xff && is_call_operand(c[4], 3)) ||
	    (c[1] == 0xff && is_call_operand(c[2], 5)) ||
	    (c[0] == 0xff && is_call_operand(c[1], 6)))
		return CALL_INDIRECT;
	return c[2] == 0xe8 ? CALL_DIRECT : CALL_NONE;
}

/* Where the direct call before @pc leads, whose last 4 bytes are @operand. */
static __always_inline __u64 call_target_of(__u64 pc, __u32 operand)
{
	return pc + (__s64)(__s32)operand;
}

/* The longest beginning of a stub: endbr64; bnd jmp *N(%rip) */
#define STUB_BYTES 7

/* Does a stub of the PLT begin with the bytes at @c? */
static __always_inline bool begins_stub(const __u8 *c)
{
	if (c[0] == 0xf3 && c[1] == 0x0f && c[2] == 0x1e && c[3] == 0xfa)
		c += 4;
	return (c[0] == 0xff && c[1] == 0x25) || (c[0] == 0xf2 && c[1] == 0xff && c[2] == 0x25);
}

/* Is all there that rule @r needs? */
static __always_inline bool unwind_can_step(const struct unwind_frame *f,
					    const struct unwind_rule *r)
{
	(void)f, (void)r;
	return true;
}

/* Finds the address to which @f returns, by rule @r, whose CFA is @cfa. */
static __always_inline enum stack_end
unwind_find_return(struct unwind_frame *f, const struct unwind_rule *r, __u64 cfa, __u64 *pc)
{
	if (r->ra == UNWIND_RA_REG)
		return unwind_get_reg(f, r->ra_reg, pc) ? STACK_END_BAD_RULE : STACK_GOES_ON;
	if (r->ra == UNWIND_RA_UNSUPPORTED)
		return STACK_END_BAD_RULE;
	return unwind_read(f, pc, sizeof(*pc), cfa - RETURN_BYTES) ? STACK_END_UNREADABLE
								   : STACK_GOES_ON;
}

/* The place of the return address by rule @r, whose CFA is @cfa. */
static __always_inline __u64 unwind_return_place(const struct unwind_rule *r, __u64 cfa)
{
	(void)r;
	return cfa - RETURN_BYTES;
}

/* Finds the goroutine that the stack of the thread counts as: the thread's data has it. */
static __always_inline enum stack_end unwind_find_g(const struct unwind_frame *f,
						    const struct unwind_rule *r, __u64 *g)
{
	__u64 thread = unwind_thread_pointer();

	if (!thread)
		return STACK_END_BAD_RULE;
	return unwind_read(f, g, sizeof(*g), thread + (__s64)r->cfa_off) ? STACK_END_UNREADABLE
									 : STACK_GOES_ON;
}

/* Does the thread @m, on which goroutine @curg runs, run on the stack of @g? */
static __always_inline bool unwind_is_g(const struct unwind_frame *f, __u64 g, __u64 m, __u64 curg)
{
	(void)f, (void)m;
	return curg != g;
}

/*
 * The CFA of a function of Go's runtime without a frame, whose stack pointer was @sp. rbp is that
 * of its caller.
 */
static __always_inline __u64 unwind_go_frame(struct unwind_frame *f, __u64 sp)
{
	(void)f;
	return sp + RETURN_BYTES;
}

/* Notes what else is known of a caller on another stack: nothing. */
static __always_inline enum stack_end
unwind_note_elsewhere(struct unwind_frame *f, const struct unwind_rule *r, __u64 saved)
{
	(void)f, (void)r, (void)saved;
	return STACK_GOES_ON;
}

/* Notes the caller's stack pointer: its call pushed what is above the saved one at @fp. */
static __always_inline void unwind_note_pointer(struct unwind_frame *f, __u64 fp)
{
	f->sp = fp + 8 + RETURN_BYTES;
}

/* Is the code, of which no table knows, that to which a handler of a signal returns? */
static __always_inline bool unwind_is_handler_return(const struct unwind_frame *f)
{
	(void)f;
	return false;
}

/* Bytes of code that tell, some of them before the instruction. */
#define LEAF_BYTES_BEFORE 1
#define LEAF_CODE_BYTES   10

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
 * Finds the return address of frame @f, which has it @where that is not in a frame of its own.
 * Returns 0, or another number on failure.
 */
static __always_inline long unwind_leaf_return(const struct unwind_frame *f, enum unwind_leaf where,
					       __u64 *pc)
{
	return unwind_read(f, pc, sizeof(*pc), f->sp + (where == UNWIND_LEAF_PUSHED ? 8 : 0));
}

/* Goes from that frame to its caller, apart from the address. */
static __always_inline void unwind_leave_leaf(struct unwind_frame *f, enum unwind_leaf where)
{
	if (where == UNWIND_LEAF_PUSHED)
		f->fp_at = f->sp;
	f->sp += where == UNWIND_LEAF_PUSHED ? 16 : 8;
}

#endif
