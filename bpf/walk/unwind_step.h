/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinding by tables: one step of a walk, from a frame to its caller. The BPF program, the
 * recorder and the tests compile the same code. Whoever includes this header provides
 * unwind_read().
 */
#ifndef BPF_WALK_UNWIND_STEP_H
#define BPF_WALK_UNWIND_STEP_H

#include "bpf/shared.h"
#include "bpf/walk/unwind.h"

/*
 * A frame. The callee must preserve rbp and rbx, and few rules need them. So a step does not read
 * them: it notes where they were saved last.
 */
struct unwind_frame {
	__u64 pc, sp;
	__u64 rbp_at, rbx_at; /* addresses of the saved values; 0: in regs */
	__u32 has_regs;       /* regs are this frame's: it is the innermost, or a signal hit it */
	__u32 lost;           /* bits 1 << UNWIND_RBP and 1 << UNWIND_RBX: nobody knows the value */
	__u64 regs[UNWIND_NR_REGS];
	__u64 context[UNWIND_NR_REGS]; /* scratch of unwind_step_signal */
};

/* Where the registers are in the kernel's struct ucontext: uc_mcontext. */
#define UNWIND_UCONTEXT_REGS 40

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/*
 * Reads @size bytes at @addr of the process that @f belongs to. Returns 0, or another number on
 * failure.
 */
static long unwind_read(const struct unwind_frame *f, void *dst, __u32 size, __u64 addr);

/* Makes @f the innermost frame. Its registers are in regs. */
static __always_inline void unwind_begin(struct unwind_frame *f)
{
	f->pc = f->regs[UNWIND_RIP];
	f->sp = f->regs[UNWIND_RSP];
	f->rbp_at = f->rbx_at = 0;
	f->lost = 0;
	f->has_regs = 1;
}

/*
 * The address at which the frame's code is looked up. A return address may be beyond the end of its
 * function, where the call is the last instruction. The byte before it belongs to the call.
 */
static __always_inline __u64 unwind_lookup_pc(const struct unwind_frame *f)
{
	return f->has_regs ? f->pc : f->pc - 1;
}

static __always_inline long unwind_get_saved(const struct unwind_frame *f, __u32 reg, __u64 at,
					     __u64 *value)
{
	if (f->lost & 1u << reg)
		return -1;
	if (at)
		return unwind_read(f, value, sizeof(*value), at);
	*value = f->regs[reg];
	return 0;
}

/* Gets the value of register @reg in the frame. Returns 0, or another number if nobody knows it. */
static __always_inline long unwind_get_reg(const struct unwind_frame *f, __u32 reg, __u64 *value)
{
	if (reg == UNWIND_RSP) {
		*value = f->sp;
		return 0;
	}
	if (reg == UNWIND_RBP)
		return unwind_get_saved(f, UNWIND_RBP, f->rbp_at, value);
	if (reg == UNWIND_RBX)
		return unwind_get_saved(f, UNWIND_RBX, f->rbx_at, value);
	if (!f->has_regs || reg >= UNWIND_NR_REGS)
		return -1;
	*value = f->regs[reg];
	return 0;
}

/*
 * Goes from the kernel's frame of a signal handler to the frame that the signal interrupted. The
 * order of the registers is that of struct sigcontext_64 (arch/x86/include/uapi/asm/sigcontext.h).
 */
static __always_inline enum stack_end unwind_step_signal(struct unwind_frame *f)
{
	__u64 *c = f->context;

	if (unwind_read(f, c, sizeof(f->context), f->sp + UNWIND_UCONTEXT_REGS))
		return STACK_END_UNREADABLE;
	/* r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip */
	for (int i = 0; i < 8; i++)
		f->regs[8 + i] = c[i];
	f->regs[5] = c[8];
	f->regs[4] = c[9];
	f->regs[UNWIND_RBP] = c[10];
	f->regs[UNWIND_RBX] = c[11];
	f->regs[1] = c[12];
	f->regs[UNWIND_RAX] = c[13];
	f->regs[2] = c[14];
	f->regs[UNWIND_RSP] = f->sp = c[15];
	f->regs[UNWIND_RIP] = f->pc = c[16];
	f->rbp_at = f->rbx_at = 0;
	f->lost = 0;
	f->has_regs = 1;
	return STACK_GOES_ON;
}

static __always_inline enum stack_end unwind_find_cfa(const struct unwind_frame *f,
						      const struct unwind_rule *r, __u64 *cfa)
{
	__u64 base, index = 0;

	switch (r->cfa) {
	case UNWIND_CFA_REG:
		if (unwind_get_reg(f, r->cfa_reg, cfa))
			return STACK_END_BAD_RULE;
		*cfa += (__s64)r->cfa_off;
		return STACK_GOES_ON;
	case UNWIND_CFA_PLT:
		*cfa = f->sp + 8 + ((f->pc & 15) >= (__u32)r->cfa_off ? 8 : 0);
		return STACK_GOES_ON;
	case UNWIND_CFA_DEREF:
		if (unwind_get_reg(f, r->cfa_reg, &base))
			return STACK_END_BAD_RULE;
		break;
	case UNWIND_CFA_DEREF_INDEX:
		base = f->sp;
		if (unwind_get_reg(f, r->cfa_reg, &index))
			return STACK_END_BAD_RULE;
		break;
	default:
		return STACK_END_BAD_RULE;
	}
	if (unwind_read(f, cfa, sizeof(*cfa), base + (__s64)r->cfa_off + index * 8))
		return STACK_END_UNREADABLE;
	*cfa += (__s64)r->cfa_add;
	return STACK_GOES_ON;
}

/* Notes where the caller's value of register @reg is, if it is not where it was. */
static __always_inline void unwind_note_saved(struct unwind_frame *f, __u8 how, __s32 off,
					      __u64 cfa, __u64 rbp, __u32 reg, __u64 *at)
{
	if (how == UNWIND_SAVED_CFA)
		*at = cfa + (__s64)off;
	else if (how == UNWIND_SAVED_RBP)
		*at = rbp + (__s64)off;
	if (how == UNWIND_SAVED_LOST)
		f->lost |= 1u << reg;
	else if (how != UNWIND_SAVED_SAME)
		f->lost &= ~(1u << reg);
}

/*
 * Goes from frame @f to its caller by rule @r. Returns STACK_GOES_ON, or how the stack ended; then
 * the frame is of no more use.
 */
static __always_inline enum stack_end unwind_step(struct unwind_frame *f,
						  const struct unwind_rule *r)
{
	__u64 cfa = 0, rbp = 0, pc = 0;
	enum stack_end end;

	if (r->cfa == UNWIND_CFA_SIGNAL)
		return unwind_step_signal(f);
	if (r->ra == UNWIND_RA_UNDEFINED)
		return STACK_END_ROOT;
	end = unwind_find_cfa(f, r, &cfa);
	if (end)
		return end;
	if (r->ra == UNWIND_RA_REG) {
		if (unwind_get_reg(f, r->ra_reg, &pc))
			return STACK_END_BAD_RULE;
	} else if (r->ra == UNWIND_RA_UNSUPPORTED) {
		return STACK_END_BAD_RULE;
	} else if (unwind_read(f, &pc, sizeof(pc), cfa - 8)) {
		return STACK_END_UNREADABLE;
	}
	if (r->rbp == UNWIND_SAVED_RBP || r->rbx == UNWIND_SAVED_RBP)
		if (unwind_get_reg(f, UNWIND_RBP, &rbp))
			return STACK_END_BAD_RULE;
	unwind_note_saved(f, r->rbx, r->rbx_off, cfa, rbp, UNWIND_RBX, &f->rbx_at);
	unwind_note_saved(f, r->rbp, r->rbp_off, cfa, rbp, UNWIND_RBP, &f->rbp_at);
	if (cfa < f->sp)
		return STACK_END_UNREADABLE;
	f->sp = cfa;
	f->pc = pc;
	f->has_regs = 0;
	/* Nobody returns to 0. Some threads begin so, and no table says it. */
	return pc ? STACK_GOES_ON : STACK_END_ROOT;
}

/* Goes from frame @f, which is at the entry of its function, to its caller. Returns as above. */
static __always_inline enum stack_end unwind_step_from_entry(struct unwind_frame *f)
{
	__u64 pc = 0;

	if (unwind_read(f, &pc, sizeof(pc), f->sp))
		return STACK_END_UNREADABLE;
	f->pc = pc;
	f->sp += sizeof(pc);
	f->has_regs = 0;
	return pc ? STACK_GOES_ON : STACK_END_ROOT;
}

/* A frame pointer leads no further up the stack than this many bytes. */
#define UNWIND_MAX_FRAME (1u << 20)

/* Goes from frame @f to its caller along rbp, for code that no table covers. Returns as above. */
static __always_inline enum stack_end unwind_step_by_rbp(struct unwind_frame *f)
{
	__u64 rbp, saved[2];

	if (unwind_get_reg(f, UNWIND_RBP, &rbp))
		return STACK_END_NO_TABLE;
	/* The ABI marks the outermost frame so (3.4.1), and the kernel starts programs so. */
	if (!rbp)
		return STACK_END_ROOT;
	if (rbp & 7 || rbp < f->sp || rbp - f->sp > UNWIND_MAX_FRAME)
		return STACK_END_NO_TABLE;
	if (unwind_read(f, saved, sizeof(saved), rbp))
		return STACK_END_NO_TABLE;
	f->pc = saved[1];
	f->sp = rbp + sizeof(saved);
	f->rbp_at = rbp;
	f->lost |= 1u << UNWIND_RBX;
	f->has_regs = 0;
	return f->pc ? STACK_GOES_ON : STACK_END_ROOT;
}

#endif
