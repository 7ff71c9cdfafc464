/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinding by tables: one step of a walk, from a frame to its caller. The BPF program, the
 * recorder and the tests compile the same code. Whoever includes this header provides
 * unwind_read(), unwind_thread_pointer() where UNWIND_KNOWS_THREAD is defined, and
 * unwind_may_return_to() where UNWIND_READS_NO_CODE is.
 */
#ifndef BPF_WALK_UNWIND_STEP_H
#define BPF_WALK_UNWIND_STEP_H

#include <stdbool.h>

#include "bpf/shared.h"
#include "bpf/walk/unwind.h"

/*
 * A frame. The callee must preserve UNWIND_REG_FP and UNWIND_REG_KEPT, and few rules need them. So
 * a step does not read them: it notes where they were saved last.
 */
struct unwind_frame {
	__u64 pc, sp;
	__u64 fp_at, kept_at; /* addresses of the saved values; 0: in regs */
	__u32 has_regs;       /* regs are this frame's: it is the innermost, or a signal hit it */
	/*
	 * Bits 1 << number of the registers that the callee must preserve, and whose value nobody
	 * knows. kept_at is that of the kept register that is not lost.
	 */
	__u32 lost;
	__u64 regs[UNWIND_NR_REGS];
	__u64 context[UNWIND_NR_REGS]; /* scratch of unwind_step_signal */
};

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/*
 * Reads @size bytes at @addr of the process that @f belongs to. Returns 0, or another number on
 * failure.
 */
static long unwind_read(const struct unwind_frame *f, void *dst, __u32 size, __u64 addr);

/* The thread pointer of the walked thread; 0: nobody knows it. */
#ifdef UNWIND_KNOWS_THREAD
static __u64 unwind_thread_pointer(void);
#else
static __always_inline __u64 unwind_thread_pointer(void)
{
	return 0;
}
#endif

/* Makes @f the innermost frame. Its registers are in regs. */
static __always_inline void unwind_begin(struct unwind_frame *f)
{
	f->pc = f->regs[UNWIND_REG_PC];
	f->sp = f->regs[UNWIND_REG_SP];
	f->fp_at = f->kept_at = 0;
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

#define UNWIND_LOST_KEPT (1u << UNWIND_REG_KEPT | 1u << UNWIND_REG_KEPT_INSTEAD)

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
	if (reg == UNWIND_REG_SP) {
		*value = f->sp;
		return 0;
	}
	if (reg == UNWIND_REG_FP)
		return unwind_get_saved(f, UNWIND_REG_FP, f->fp_at, value);
	if (reg == UNWIND_REG_KEPT)
		return unwind_get_saved(f, UNWIND_REG_KEPT, f->kept_at, value);
	if (reg == UNWIND_REG_KEPT_INSTEAD)
		return unwind_get_saved(f, UNWIND_REG_KEPT_INSTEAD, f->kept_at, value);
	if (!f->has_regs || reg >= UNWIND_NR_REGS)
		return -1;
	*value = f->regs[reg];
	return 0;
}

/* May a call return to @pc? Stands for a look at the call where there is no code to read. */
#ifdef UNWIND_READS_NO_CODE
static bool unwind_may_return_to(__u64 pc);
#endif

enum call_kind {
	CALL_NONE,
	CALL_DIRECT,   /* of a place that the instruction has */
	CALL_INDIRECT, /* by a register or by memory */
};

#ifdef BPF_HOST_ARCH_X86_64_H
#include "bpf/walk/unwind_step_x86_64.h"
#endif
#ifdef BPF_HOST_ARCH_AARCH64_H
#include "bpf/walk/unwind_step_aarch64.h"
#endif

/* The call that would return to @pc. */
#ifdef __bpf__
__verified_once __u32 find_call(__u64 pc)
{
	__u8 code[CALL_BYTES];

	return bpf_probe_read_user(code, sizeof(code), (void *)(pc - sizeof(code)))
		       ? CALL_NONE
		       : call_kind_of(code);
}

/* The code to which the direct call before @pc leads; 0: it cannot be read. */
__verified_once __u64 find_call_target(__u64 pc)
{
	__u32 operand;

	return bpf_probe_read_user(&operand, sizeof(operand), (void *)(pc - sizeof(operand)))
		       ? 0
		       : call_target_of(pc, operand);
}

/* 1 if a stub begins at @pc, else 0. */
__verified_once __u32 find_stub(__u64 pc)
{
	__u8 code[STUB_BYTES];

	return !bpf_probe_read_user(code, sizeof(code), (void *)pc) && begins_stub(code);
}

#define call_before(f, pc) find_call(pc)
#define call_target(f, pc) find_call_target(pc)
#define is_stub_at(f, pc)  find_stub(pc)
#elif defined(UNWIND_READS_NO_CODE)
static inline enum call_kind call_before(const struct unwind_frame *f, __u64 pc)
{
	(void)f;
	return unwind_may_return_to(pc) ? CALL_INDIRECT : CALL_NONE;
}

#define call_target(f, pc) 0
#define is_stub_at(f, pc)  false
#else
static inline enum call_kind call_before(const struct unwind_frame *f, __u64 pc)
{
	__u8 code[CALL_BYTES];

	return unwind_read(f, code, sizeof(code), pc - sizeof(code)) ? CALL_NONE
								     : call_kind_of(code);
}

static inline __u64 call_target(const struct unwind_frame *f, __u64 pc)
{
	__u32 operand;

	return unwind_read(f, &operand, sizeof(operand), pc - sizeof(operand))
		       ? 0
		       : call_target_of(pc, operand);
}

static inline bool is_stub_at(const struct unwind_frame *f, __u64 pc)
{
	__u8 code[STUB_BYTES];

	return !unwind_read(f, code, sizeof(code), pc) && begins_stub(code);
}
#endif

/* Would a call return to @pc? */
static __always_inline bool is_after_call(const struct unwind_frame *f, __u64 pc)
{
	(void)f;
	return call_before(f, pc) != CALL_NONE;
}

/* Is the word at @at of the stack an address that a call would return to? */
static __always_inline bool is_return_address(const struct unwind_frame *f, __u64 at)
{
	__u64 pc;

	return !unwind_read(f, &pc, sizeof(pc), at) && is_after_call(f, pc);
}

/* Bytes of code at most from a function's beginning to a place in it. */
#define UNWIND_MAX_CODE (1u << 20)

/*
 * May the call that would return to @pc have called the function of frame @f? A direct call leads
 * to its beginning, which is not behind the frame's code, or to a stub. Other old return addresses
 * are on stacks, too.
 */
static __always_inline bool unwind_may_be_called(const struct unwind_frame *f, __u64 pc)
{
	enum call_kind kind = call_before(f, pc);
	__u64 target;

	if (kind != CALL_DIRECT)
		return kind == CALL_INDIRECT;
	target = call_target(f, pc);
	return f->pc - target < UNWIND_MAX_CODE || (target && is_stub_at(f, target));
}

/* A CFA that only its return address proves is no further up the stack than this many bytes. */
#define UNWIND_MAX_FRAME (1u << 20)

/* Registers whose value at a caller a walk knows, or knows to be lost. */
#define UNWIND_FOLLOWED                                                                            \
	(1ull << UNWIND_REG_FP | 1ull << UNWIND_REG_SP | 1ull << UNWIND_REG_PC | UNWIND_LOST_KEPT)

/*
 * Finds the CFA of a caller by a register that no step follows. Assembler keeps the stack pointer
 * in one while it calls functions of its own that leave it alone. So the register still has that
 * value, as it was at the innermost frame whose registers are known. Another value hardly leads to
 * an address to which a call returns.
 */
static __always_inline enum stack_end unwind_find_held_cfa(struct unwind_frame *f,
							   const struct unwind_rule *r, __u64 *cfa)
{
	__u32 reg = r->cfa_reg;
	__u64 pc;

	if (reg >= UNWIND_NR_REGS || UNWIND_FOLLOWED & 1ull << reg)
		return STACK_END_BAD_RULE;
	*cfa = f->regs[reg] + (__s64)r->cfa_off;
	if (*cfa & 7 || *cfa - f->sp - 1 >= UNWIND_MAX_FRAME)
		return STACK_END_BAD_RULE;
	return !unwind_find_return(f, r, *cfa, &pc) && unwind_may_be_called(f, pc)
		       ? STACK_GOES_ON
		       : STACK_END_BAD_RULE;
}

static __always_inline enum stack_end unwind_find_cfa(struct unwind_frame *f,
						      const struct unwind_rule *r, __u64 *cfa)
{
	__u64 base, index = 0;

	switch (r->cfa) {
	case UNWIND_CFA_REG:
		if (unwind_get_reg(f, r->cfa_reg, cfa))
			return unwind_find_held_cfa(f, r, cfa);
		*cfa += (__s64)r->cfa_off;
		return STACK_GOES_ON;
	case UNWIND_CFA_PLT:
		*cfa = unwind_plt_cfa(f, r->cfa_off);
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

/*
 * Notes where the caller's value of a register is, if it is not where it was. @bit is the
 * register's in lost.
 */
static __always_inline void unwind_note_saved(struct unwind_frame *f, __u8 how, __s32 off,
					      __u64 cfa, __u64 fp, __u32 bit, __u64 *at)
{
	if (how == UNWIND_SAVED_CFA)
		*at = cfa + (__s64)off;
	else if (how == UNWIND_SAVED_FP)
		*at = fp + (__s64)off;
	if (how == UNWIND_SAVED_LOST)
		f->lost |= bit;
	else if (how != UNWIND_SAVED_SAME)
		f->lost &= ~bit;
}

/* As above, of the kept register that @r tells of. The other one is lost. */
static __always_inline void unwind_note_kept(struct unwind_frame *f, const struct unwind_rule *r,
					     __u64 cfa, __u64 fp)
{
	__u32 bit = r->is_instead ? 1u << UNWIND_REG_KEPT_INSTEAD : 1u << UNWIND_REG_KEPT;

	unwind_note_saved(f, r->kept, r->kept_off, cfa, fp, bit, &f->kept_at);
	f->lost |= UNWIND_LOST_KEPT ^ bit;
}

/*
 * Finds the stack pointer that Go had where it has called C (asmcgocall of its runtime). It keeps
 * the goroutine and how far its stack pointer was below the end of its stack, because stacks move;
 * or 0 and the stack pointer, where it was on the thread's stack already.
 */
static __always_inline enum stack_end unwind_go_call(const struct unwind_frame *f,
						     const struct unwind_rule *r, __u64 *sp)
{
	__u64 g = 0, depth = 0, high = 0;

	if (unwind_read(f, &g, sizeof(g), f->sp + (__s64)r->cfa_off) ||
	    unwind_read(f, &depth, sizeof(depth), f->sp + (__s64)r->cfa_add))
		return STACK_END_UNREADABLE;
	if (g && unwind_read(f, &high, sizeof(high), g + (__s64)r->fp_off))
		return STACK_END_UNREADABLE;
	*sp = g ? high - depth : depth;
	return STACK_GOES_ON;
}

/*
 * Finds the stack pointer of a goroutine that runs code on the stack of its thread (of the runtime:
 * systemstack and morestack). The goroutine that the thread's stack counts as (g) has its thread
 * (m), and that the goroutine that runs there (curg), which has its stack pointer. *@saved is where
 * it has that. A goroutine that has been given up is no caller.
 */
static __always_inline enum stack_end
unwind_go_switch(const struct unwind_frame *f, const struct unwind_rule *r, __u64 *sp, __u64 *saved)
{
	__u64 g = 0, m = 0, at = 0;
	enum stack_end end = unwind_find_g(f, r, &g);

	if (end)
		return end;
	if (unwind_read(f, &m, sizeof(m), g + (__s64)r->cfa_add) ||
	    unwind_read(f, &at, sizeof(at), m + (__s64)r->fp_off))
		return STACK_END_UNREADABLE;
	if (!unwind_is_g(f, g, m, at))
		return STACK_END_BAD_RULE;
	if (!at)
		return STACK_END_ROOT;
	*saved = at + (__s64)r->kept_off;
	if (unwind_read(f, sp, sizeof(*sp), *saved))
		return STACK_END_UNREADABLE;
	return *sp ? STACK_GOES_ON : STACK_END_BAD_RULE;
}

/*
 * As unwind_step, for a caller whose frame may be on another stack. Where a goroutine was left in
 * the middle, it has the address beside its stack pointer.
 */
static __always_inline enum stack_end unwind_step_elsewhere(struct unwind_frame *f,
							    const struct unwind_rule *r)
{
	__u64 cfa = 0, sp = 0, saved = 0, pc_at = 0, pc = 0;
	enum stack_end end = STACK_GOES_ON;

	switch (r->cfa) {
	case UNWIND_CFA_SIGNAL:
		return unwind_step_signal(f);
	case UNWIND_CFA_OTHER_STACK:
		if (unwind_get_reg(f, r->cfa_reg, &cfa))
			return STACK_END_BAD_RULE;
		cfa += (__s64)r->cfa_off;
		pc_at = unwind_return_place(r, cfa);
		if (r->fp == UNWIND_SAVED_CFA)
			f->fp_at = cfa + (__s64)r->fp_off;
		break;
	case UNWIND_CFA_GO_CALL:
		end = unwind_go_call(f, r, &sp);
		break;
	case UNWIND_CFA_GO_SWITCH:
		end = unwind_go_switch(f, r, &sp, &saved);
		break;
	default:
		return STACK_END_BAD_RULE;
	}
	if (end)
		return end;
	if (saved && r->cfa_reg == UNWIND_REG_PC) {
		cfa = sp;
		pc_at = saved + sizeof(sp);
		f->lost |= 1u << UNWIND_REG_FP;
	} else if (sp) {
		cfa = unwind_go_frame(f, sp);
		pc_at = sp;
	}
	if (unwind_read(f, &pc, sizeof(pc), pc_at))
		return STACK_END_UNREADABLE;
	f->lost |= UNWIND_LOST_KEPT;
	f->sp = cfa;
	f->pc = pc;
	f->has_regs = 0;
	end = unwind_note_elsewhere(f, r, saved);
	return end || pc ? end : STACK_END_ROOT;
}

/*
 * Goes from frame @f to its caller by rule @r. Returns STACK_GOES_ON, or how the stack ended; then
 * the frame is of no more use.
 */
static __always_inline enum stack_end unwind_step(struct unwind_frame *f,
						  const struct unwind_rule *r)
{
	__u64 cfa = 0, fp = 0, pc = 0;
	enum stack_end end;

	if (r->cfa >= UNWIND_CFA_SIGNAL)
		return unwind_step_elsewhere(f, r);
	if (r->ra == UNWIND_RA_UNDEFINED)
		return STACK_END_ROOT;
	end = unwind_find_cfa(f, r, &cfa);
	if (end)
		return end;
	end = unwind_find_return(f, r, cfa, &pc);
	if (end)
		return end;
	if (r->fp == UNWIND_SAVED_FP || r->kept == UNWIND_SAVED_FP)
		if (unwind_get_reg(f, UNWIND_REG_FP, &fp))
			return STACK_END_BAD_RULE;
	unwind_note_kept(f, r, cfa, fp);
	unwind_note_saved(f, r->fp, r->fp_off, cfa, fp, 1u << UNWIND_REG_FP, &f->fp_at);
	if (cfa < f->sp)
		return STACK_END_UNREADABLE;
	f->sp = cfa;
	f->pc = pc;
	f->has_regs = 0;
	/* Nobody returns to 0. Some threads begin so, and no table says it. */
	return pc ? STACK_GOES_ON : STACK_END_ROOT;
}

/* Goes from frame @f to its caller along fp, for code that no table covers. Returns as above. */
static __always_inline enum stack_end unwind_step_by_fp(struct unwind_frame *f)
{
	__u64 fp, pc;

	if (unwind_get_reg(f, UNWIND_REG_FP, &fp))
		return STACK_END_NO_TABLE;
	/* The ABI marks the outermost frame so (3.4.1), and the kernel starts programs so. */
	if (!fp)
		return STACK_END_ROOT;
	if (fp & 7 || fp < f->sp || fp - f->sp > UNWIND_MAX_FRAME)
		return STACK_END_NO_TABLE;
	/* The return address is above the saved fp. */
	if (unwind_read(f, &pc, sizeof(pc), fp + sizeof(fp)))
		return STACK_END_NO_TABLE;
	f->pc = PLAIN_RETURN(pc);
	unwind_note_pointer(f, fp);
	f->fp_at = fp;
	f->lost |= UNWIND_LOST_KEPT;
	f->has_regs = 0;
	return f->pc ? STACK_GOES_ON : STACK_END_ROOT;
}

/*
 * Goes from frame @f, which has its return address @where that is not in a frame of its own, to
 * its caller. Returns as unwind_step.
 */
static __always_inline enum stack_end unwind_step_from_leaf(struct unwind_frame *f,
							    enum unwind_leaf where)
{
	__u64 pc = 0;

	if (unwind_leaf_return(f, where, &pc))
		return STACK_END_UNREADABLE;
	unwind_leave_leaf(f, where);
	f->pc = pc;
	f->has_regs = 0;
	return pc ? STACK_GOES_ON : STACK_END_ROOT;
}

#endif
