/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of bpf/made/java_step.h that arm64 decides. That header alone includes this one.
 *
 *	code                         caller's sp              return address  caller's x29
 *	compiled methods, stubs      sp + size                sp' - 8         sp' - 16
 *	the interpreter              [x29 - 8], or any above  [x29 + 8]       [x29]
 *	stubs without a size         x29 + 16                 [x29 + 8]       [x29]
 *
 * A leaf without a frame has its return address in x30. Where x30 may be what an earlier call has
 * left, instructions or the frame at x29 have to say that it is not.
 *
 * The rules are those of HotSpot 17: frame_aarch64.cpp, macroAssembler_aarch64.cpp,
 * templateInterpreterGenerator_aarch64.cpp.
 */
#ifndef BPF_MADE_JAVA_LEAVE_AARCH64_H
#define BPF_MADE_JAVA_LEAVE_AARCH64_H

#include "bpf/made/made_code.h"

/* The register with the caller's sp, while the interpreter enters a method. */
#define JAVA_SENDER 13

/* Of a frame of the interpreter, below x29 (frame_aarch64.hpp). */
#define JAVA_FRAME_METHOD 24
#define JAVA_FRAME_SENDER 8

/* Instructions before the leaf's that are looked at, and those from it on. */
#define JAVA_INSNS_BEFORE (JAVA_CODE_BEFORE / 4)
#define JAVA_INSNS_AFTER  ((JAVA_CODE_BYTES - JAVA_CODE_BEFORE) / 4)

#define INSN_MOV_FP_SP  0x910003fd /* mov x29, sp */
#define INSN_POP_FRAME  0xa8c17bfd /* ldp x29, x30, [sp], #16 */
#define INSN_PUSH_FRAME 0xa9bf7bfd /* stp x29, x30, [sp, #-16]! */
#define INSN_SUB_SP_X8  0xcb2863ff /* sub sp, sp, x8 */
#define INSN_ADD_SP_X8  0x8b2863ff /* add sp, sp, x8 */
#define INSN_SENDER     0x910003ed /* mov x13, sp */
#define INSN_STP_SENDER 0xa90437ff /* stp xzr, x13, [sp, #64] */
#define INSN_RET        0xd65f03c0

/* The frame of a leaf at its instruction. */
enum java_leaf_place {
	JAVA_COMPLETE,
	JAVA_AT_RETURN, /* the return address is in x30, and sp is the caller's */
	JAVA_ROOM,      /* the same, but sp is that of a complete frame */
	JAVA_PUSHED,    /* x29 and x30 are at sp, and no more is there */
};

/* Instruction number @i, seen from the leaf's. */
static __always_inline __u32 java_insn(const struct java_scratch *s, int i)
{
	return *(const __u32 *)(s->code + JAVA_CODE_BEFORE + 4 * i);
}

/* sub sp, sp, #N */
static __always_inline bool is_sub_sp(__u32 insn)
{
	return (insn & 0xff8003ff) == 0xd10003ff || insn == INSN_SUB_SP_X8;
}

/* add sp, sp, #N */
static __always_inline bool is_add_sp(__u32 insn)
{
	return (insn & 0xff8003ff) == 0x910003ff || insn == INSN_ADD_SP_X8;
}

/* stp x29, x30, [sp, #N] */
static __always_inline bool is_frame_stored(__u32 insn)
{
	return (insn & 0xffc07fff) == 0xa9007bfd;
}

/* ldp x29, x30, [sp, #N] */
static __always_inline bool is_frame_loaded(__u32 insn)
{
	return (insn & 0xffc07fff) == 0xa9407bfd;
}

/* Is @ra an address to return to: in the interpreter, or after a call? */
static __always_inline bool is_return(const struct java_step *j, __u64 ra)
{
	return is_interpreted(j, ra) || is_after_call(j->f, ra);
}

/* Is the leaf's x30 an address of code that HotSpot has compiled, after a call? */
static __always_inline bool is_called_by_compiled(const struct java_step *j, __u64 ra)
{
	return is_java_code(j->m, ra) && !is_interpreted(j, ra) && is_after_call(j->f, ra);
}

/*
 * The frame that x29 points to. The interpreter keeps its caller's sp in it. That of an interpreted
 * caller may be within this frame, because the caller has room for operands that it has not pushed.
 * Nothing needs it.
 */
static __always_inline enum stack_end java_leave_by_fp(const struct java_step *j,
						       bool is_interpreter)
{
	struct unwind_frame *f = j->f;
	__u64 fp, sender = 0, *ra = &j->s->ra;

	if (unwind_get_reg(f, UNWIND_REG_FP, &fp) || fp & 7 || fp < f->sp ||
	    fp - f->sp > JAVA_MAX_FRAME || unwind_read(f, ra, sizeof(*ra), fp + 8))
		return STACK_END_UNREADABLE;
	*ra = PLAIN_RETURN(*ra);
	if (is_interpreter && (!is_java_code(j->m, *ra) || !is_return(j, *ra) ||
			       unwind_read(f, &sender, sizeof(sender), fp - JAVA_FRAME_SENDER)))
		return STACK_END_UNREADABLE;
	if (sender < fp + 16) {
		if (is_interpreter && !is_interpreted(j, *ra))
			return STACK_END_UNREADABLE;
		sender = fp + 16;
	}
	return java_leave(f, *ra, sender, fp);
}

/* The leaf has its return address in x30, and its caller's sp is @sp. */
static __always_inline enum stack_end java_leave_bare(const struct java_step *j, __u64 sp)
{
	__u64 ra = PLAIN_RETURN(j->f->regs[UNWIND_X30]);

	return is_return(j, ra) ? java_leave(j->f, ra, sp, 0) : STACK_END_UNREADABLE;
}

/* Has the leaf taken its frame down by the instruction before, or one of two before that? */
static __always_inline bool is_frame_popped(const struct java_scratch *s)
{
	return java_insn(s, -1) == INSN_POP_FRAME ||
	       (java_insn(s, -1) != INSN_RET &&
		(java_insn(s, -2) == INSN_POP_FRAME ||
		 (java_insn(s, -2) != INSN_RET && java_insn(s, -3) == INSN_POP_FRAME)));
}

/*
 * Is the frame at x29 that of the leaf, in a block of stubs? Until it calls others, the frame has
 * the same return address as x30. Then x30 is an address of the block.
 */
static __always_inline bool is_stub_framed(const struct java_step *j)
{
	__u64 fp = j->f->regs[UNWIND_REG_FP], ra = PLAIN_RETURN(j->f->regs[UNWIND_X30]);
	__u64 *saved = &j->s->ra;

	if (fp & 7 || fp - j->f->sp > JAVA_MAX_FRAME ||
	    unwind_read(j->f, saved, sizeof(*saved), fp + 8))
		return false;
	*saved = PLAIN_RETURN(*saved);
	return (*saved == ra || ra - j->s->begin < j->s->end - j->s->begin) && is_return(j, *saved);
}

/*
 * The leaf is in a stub. HotSpot jumps to some of those that compilers use (not @is_called) from
 * the middle of a method, to stop a thread or to handle an exception. There x30 is of no use.
 */
static __always_inline enum stack_end java_leave_stub(const struct java_step *j, bool is_called)
{
	__u64 sp = j->f->sp, ra = PLAIN_RETURN(j->f->regs[UNWIND_X30]);

	if (java_insn(j->s, -1) == INSN_PUSH_FRAME && java_insn(j->s, 0) == INSN_MOV_FP_SP &&
	    is_called)
		return is_return(j, ra) ? java_leave(j->f, ra, sp + 16, sp) : STACK_END_UNREADABLE;
	if (is_stub_framed(j))
		return java_leave_by_fp(j, false);
	if (!is_called && !is_frame_popped(j->s))
		return STACK_END_UNREADABLE;
	return java_leave_bare(j, sp);
}

/*
 * The caller's sp, where the leaf is in the interpreter and has no frame. A method that ends has
 * taken its frame down, and takes the caller's sp from a register then: and sp, xN, #-16; mov sp,
 * xN. One that begins has the caller's sp in a register of its own.
 */
static __always_inline __u64 java_sender(const struct java_step *j)
{
	__u32 insn = java_insn(j->s, 0);

	if (!is_frame_popped(j->s))
		return j->f->regs[JAVA_SENDER];
	if ((insn & 0xfffffc1f) == 0x927cec1f || (insn & 0xfffffc1f) == 0x9100001f)
		return j->f->regs[insn >> 5 & 31] & ~15ULL;
	return j->f->sp;
}

/*
 * In the interpreter, x29 is that of the method or of its caller. As long as a method begins, and
 * when it has ended, an interpreted caller is at the call, and its frame stands for both. One that
 * is compiled has its own value in x29, or that of a frame further up. Its call is in x30 then, and
 * not in the frame at x29.
 */
static __always_inline enum stack_end java_leave_interpreter(const struct java_step *j)
{
	struct unwind_frame *f = j->f;
	__u64 fp, ra, *saved = &j->s->ra;

	if (f->has_regs) {
		fp = f->regs[UNWIND_REG_FP];
		ra = PLAIN_RETURN(f->regs[UNWIND_X30]);
		if (is_called_by_compiled(j, ra) &&
		    (fp < f->sp || unwind_read(f, saved, sizeof(*saved), fp + 8) ||
		     PLAIN_RETURN(*saved) != ra))
			return java_leave(f, ra, java_sender(j), 0);
		/* The caller's sp comes into the frame right after x29. */
		if (java_insn(j->s, 0) == INSN_STP_SENDER && is_return(j, ra)) {
			j->s->method = 0;
			fp += 16;
			if (f->regs[JAVA_SENDER] > fp)
				fp = f->regs[JAVA_SENDER];
			return java_leave(f, ra, fp, f->regs[UNWIND_REG_FP]);
		}
	}
	if (unwind_get_reg(f, UNWIND_REG_FP, &fp) ||
	    unwind_read(f, &j->s->method, sizeof(j->s->method), fp - JAVA_FRAME_METHOD))
		return STACK_END_UNREADABLE;
	return java_leave_by_fp(j, true);
}

/* A pointer, as it cannot be in the map. */
struct java_turns {
	struct java_scratch *scratch;
};

/* Looks for the instruction that stores x29 and x30, and for one that moves sp before. */
static inline long java_look_at_prologue(__u32 i, struct java_turns *t)
{
	struct java_scratch *s = t->scratch;
	__u32 insn;

	if (i >= JAVA_INSNS_AFTER || (__u64)i * 4 >= s->left)
		return 1;
	insn = *(const __u32 *)(s->code + JAVA_CODE_BEFORE + 4 * i);
	if (insn == INSN_PUSH_FRAME)
		s->is_found = JAVA_AT_RETURN;
	else if (is_frame_stored(insn))
		s->is_found = s->is_found == JAVA_PUSHED ? JAVA_AT_RETURN : JAVA_ROOM;
	else if (is_sub_sp(insn))
		s->is_found = JAVA_PUSHED;
	else
		return 0;
	return s->is_found != JAVA_PUSHED;
}

/*
 * The frame before its method has begun, s->left bytes before that. The instructions up to there
 * are the check of the class; a look whether there is room on the stack; "sub sp; stp x29, x30" or
 * "stp x29, x30, [sp, #-16]!; sub sp"; and a check whether the code is valid still, which is as
 * long as what is seen of the code.
 */
static __always_inline enum java_leaf_place java_place_of_prologue(struct java_scratch *s)
{
	struct java_turns turns = {.scratch = s};

	s->is_found = JAVA_COMPLETE;
	take_turns(JAVA_INSNS_AFTER, java_look_at_prologue, &turns);
	if (s->is_found != JAVA_COMPLETE)
		return s->is_found;
	return s->left > JAVA_INSNS_AFTER * 4 ? JAVA_AT_RETURN : JAVA_COMPLETE;
}

/* Looks at the instructions before the leaf's, nearest first, for those that take a frame down. */
static inline long java_look_at_epilogue(__u32 i, struct java_turns *t)
{
	struct java_scratch *s = t->scratch;
	__u32 insn;

	if (i >= JAVA_INSNS_BEFORE)
		return 1;
	insn = *(const __u32 *)(s->code +
				4 * ((JAVA_INSNS_BEFORE - 1 - i) & (JAVA_INSNS_BEFORE - 1)));
	if (insn == INSN_RET || (insn & 0xfc000000) == 0x14000000)
		return 1;
	if (insn == INSN_POP_FRAME || (is_frame_loaded(insn) && s->is_found))
		s->is_found = JAVA_AT_RETURN;
	else if (is_frame_loaded(insn))
		s->is_found = JAVA_ROOM;
	else if (is_add_sp(insn))
		s->is_found = JAVA_PUSHED;
	else
		return 0;
	return s->is_found != JAVA_PUSHED;
}

/* adr x8, N; str x8, [x28, #N]: a method that returns is to stop, and says where it is. */
static __always_inline bool is_taken_poll(const struct java_scratch *s, int i)
{
	return (java_insn(s, i) & 0x9f00001f) == 0x10000008 &&
	       (java_insn(s, i + 1) & 0xffc003ff) == 0xf9000388;
}

/*
 * Where in its code is the leaf? A method takes its frame down by "ldp x29, x30; add sp" or "add
 * sp; ldp x29, x30, [sp], #16", and asks whether it is to stop, before it returns.
 */
static __always_inline enum java_leaf_place java_place_of_leaf(const struct java_step *j,
							       __u64 complete)
{
	struct java_turns turns = {.scratch = j->s};
	struct java_scratch *s = j->s;

	s->left = s->begin + complete - j->f->pc;
	if (j->f->pc < s->begin + complete)
		return java_place_of_prologue(s);
	if (java_insn(s, 0) == INSN_POP_FRAME)
		return JAVA_PUSHED;
	if (java_insn(s, 0) == INSN_RET || is_taken_poll(s, 0) || is_taken_poll(s, -1) ||
	    is_taken_poll(s, -2) || is_taken_poll(s, -3))
		return JAVA_AT_RETURN;
	s->is_found = JAVA_COMPLETE;
	take_turns(JAVA_INSNS_BEFORE, java_look_at_epilogue, &turns);
	return s->is_found == JAVA_PUSHED ? JAVA_COMPLETE : s->is_found;
}

/* The caller is HotSpot's code, as only stubs without a size of frames return elsewhere. */
static __always_inline enum stack_end java_leave_place(const struct java_step *j,
						       enum java_leaf_place place)
{
	__u64 sp = j->f->sp, *ra = &j->s->ra;

	if (place == JAVA_COMPLETE || place == JAVA_ROOM)
		sp += j->s->frame_bytes;
	else if (place == JAVA_PUSHED)
		sp += 16;
	if (place == JAVA_AT_RETURN || place == JAVA_ROOM)
		return java_leave_bare(j, sp);
	if (unwind_read(j->f, ra, sizeof(*ra), sp - 8))
		return STACK_END_UNREADABLE;
	*ra = PLAIN_RETURN(*ra);
	if (!is_java_code(j->m, *ra) || !is_return(j, *ra))
		return STACK_END_UNREADABLE;
	return java_leave(j->f, *ra, sp, sp - 16);
}

/*
 * The leaf is in a table of calls, or in an adapter, which moves arguments to where the interpreter
 * or compiled code expects them. One for the interpreter notes the caller's sp, and makes room.
 */
static __always_inline enum stack_end java_leave_adapter(const struct java_step *j)
{
	const struct java_scratch *s = j->s;
	__u64 sp = j->f->sp, sender = j->f->regs[JAVA_SENDER];

	if (s->name[0] == JAVA_NAME('I', '2', 'C', '/', 'C', '2', 'I', ' ') &&
	    !is_interpreted(j, PLAIN_RETURN(j->f->regs[UNWIND_X30])) &&
	    sender - sp < JAVA_MAX_FRAME && java_insn(s, 0) != INSN_SENDER)
		sp = sender;
	return java_leave_bare(j, sp);
}

/* The offset of the place from which on a frame is complete; ~0: that is not known. */
static __always_inline __u64 java_complete_at(const struct java_step *j)
{
	__u32 n = blob_number(j, j->m->blob_complete & 0xfc);

	return n >> 31 ? ~0ULL : n;
}

static __always_inline enum stack_end java_leave_leaf(const struct java_step *j,
						      enum java_kind kind)
{
	__u64 complete;

	switch (kind) {
	case JAVA_NMETHOD:
	case JAVA_NATIVE:
		complete = java_complete_at(j);
		return complete == ~0ULL ? STACK_END_UNREADABLE
					 : java_leave_place(j, java_place_of_leaf(j, complete));
	case JAVA_STUBS:
		return java_leave_stub(j, true);
	case JAVA_RUNTIME:
	case JAVA_UNSIZED:
		return java_leave_stub(j, false);
	case JAVA_NO_FRAME:
		return java_leave_adapter(j);
	default:
		return STACK_END_UNREADABLE;
	}
}

/*
 * Goes from the frame that java_look_at_frame has seen to its caller. Of an interpreted frame, it
 * leaves the method in the scratch. Returns STACK_GOES_ON, or how the stack ended; then the frame
 * is of no more use.
 */
static __always_inline enum stack_end java_leave_frame(const struct java_step *j)
{
	bool is_lost = UNWIND_SP_IS_LOST(j->f);
	enum java_kind kind = j->s->kind;

	j->f->lost &= ~(1u << UNWIND_REG_SP);
	if (kind == JAVA_INTERPRETER)
		return java_leave_interpreter(j);
	if (j->f->has_regs)
		return java_leave_leaf(j, kind);
	switch (kind) {
	case JAVA_NMETHOD:
		return is_lost ? STACK_END_UNREADABLE : java_leave_place(j, JAVA_COMPLETE);
	case JAVA_NATIVE:
	case JAVA_RUNTIME:
		return is_lost ? java_leave_by_fp(j, false) : java_leave_place(j, JAVA_COMPLETE);
	case JAVA_STUBS:
	case JAVA_UNSIZED:
		return java_leave_by_fp(j, false);
	default:
		return STACK_END_UNREADABLE;
	}
}

#endif
