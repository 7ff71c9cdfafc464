/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of bpf/made/java_step.h that x86-64 decides. That header alone includes this one.
 *
 *	code                                caller's sp     return address  caller's rbp
 *	compiled methods and stubs          sp + size       sp' - 8         sp' - 16
 *	the interpreter                     [rbp - 8]       [rbp + 8]       [rbp]
 *	stubs without a size of frames      rbp + 16        [rbp + 8]       [rbp]
 *
 * The rules are those of HotSpot 8 to 25: frame_x86.cpp and macroAssembler_x86.cpp.
 */
#ifndef BPF_MADE_JAVA_LEAVE_X86_64_H
#define BPF_MADE_JAVA_LEAVE_X86_64_H

#include "bpf/made/java_interpreter.h"
#include "bpf/made/java_unsized.h"

/* Where the stub by which C++ calls Java saves rbx, below rbp (stubGenerator_x86_64.cpp). */
#define CALL_STUB_RBX 0x38

/* The frame that rbp points to. The interpreter keeps its caller's sp in it. */
static __always_inline enum stack_end java_leave_by_fp(const struct java_step *j,
						       bool is_interpreter)
{
	struct unwind_frame *f = j->f;
	bool is_call_stub = f->pc == j->m->call_stub_return;
	__u64 rbp, pc, sp;
	enum stack_end end;

	if (unwind_get_reg(f, UNWIND_REG_FP, &rbp) || rbp & 7 || rbp < f->sp ||
	    rbp - f->sp > JAVA_MAX_FRAME || unwind_read(f, &pc, sizeof(pc), rbp + 8))
		return STACK_END_UNREADABLE;
	sp = rbp + 16;
	if (is_interpreter && (!is_java_code(j->m, pc) || unwind_read(f, &sp, sizeof(sp), rbp - 8)))
		return STACK_END_UNREADABLE;
	end = java_leave(f, pc, sp, rbp);
	if (is_call_stub) {
		f->kept_at = rbp - CALL_STUB_RBX;
		f->lost &= ~(1u << UNWIND_REG_KEPT);
	}
	return end;
}

/* The leaf has no frame of its own, or not any more. */
static __always_inline enum stack_end java_leave_bare(const struct java_step *j)
{
	__u64 *ra = &j->s->ra;

	if (unwind_read(j->f, ra, sizeof(*ra), j->f->sp) || !is_java_return(j, *ra))
		return STACK_END_UNREADABLE;
	return java_leave(j->f, *ra, j->f->sp + 8, 0);
}

/*
 * The leaf is in a stub. Some have a frame of rbp. Others keep the caller's rbp, which may point to
 * a frame further up. So the return address has to be one from these stubs.
 */
static __always_inline enum stack_end java_leave_stub(const struct java_step *j)
{
	const __u8 *c = j->s->code + JAVA_CODE_BEFORE;
	__u64 rbp = j->f->regs[UNWIND_REG_FP], fp_at = 0, at, *ra = &j->s->ra;

	if (c[-1] == 0x55 && is_mov_rbp(c)) /* push rbp */
		fp_at = j->f->sp;
	else if (c[0] != 0x55 && c[0] != 0xc3 && rbp - j->f->sp < JAVA_MAX_FRAME &&
		 !unwind_read(j->f, ra, sizeof(*ra), rbp + 8) &&
		 is_return_from(j, *ra, j->s->begin, j->s->end))
		return java_leave_by_fp(j, false);
	at = fp_at ? fp_at + 8 : j->f->sp;
	if (unwind_read(j->f, ra, sizeof(*ra), at) ||
	    !is_return_from(j, *ra, j->s->begin, j->s->end))
		return STACK_END_UNREADABLE;
	return java_leave(j->f, *ra, at + 8, fp_at);
}

/* Can @sp be the stack pointer of the leaf's caller? */
static __always_inline bool is_sender(const struct unwind_frame *f, __u64 sp)
{
	return !(sp & 7) && sp - f->sp <= JAVA_MAX_FRAME;
}

/*
 * A method has called a stub. The stub that looks whether compiled code is still valid has a word
 * of its own above its frame of rbp: -1, as long as the code is valid (see
 * generate_method_entry_barrier).
 */
static __always_inline enum stack_end java_leave_called_stub(const struct java_step *j)
{
	__u64 *words = j->s->words, rbp, ra;

	if (unwind_get_reg(j->f, UNWIND_REG_FP, &rbp) || rbp & 7 ||
	    unwind_read(j->f, words, 2 * sizeof(*words), rbp + 8) || words[0] != ~0ULL)
		return java_leave_by_fp(j, false);
	j->s->ra = ra = words[1];
	if (rbp < j->f->sp || !is_java_code(j->m, ra) ||
	    !is_return_from(j, ra, j->s->begin, j->s->end))
		return STACK_END_UNREADABLE;
	return java_leave(j->f, ra, rbp + 24, rbp);
}

/* Flags of the processor that are above these bits are 0 always, and bit 1 is 1. */
#define FLAGS_BITS 22

/*
 * The leaf is in a stub that asks the processor for its features (vm_version_x86.cpp). A virtual
 * machine leaves its guest for each question, so samples are right after a cpuid. Most code has
 * pushed rbp, rbx, rsi and the flags then. One function begins with pushes of rbp, rbx and rsi, 9
 * bytes before its cpuid.
 */
static __always_inline enum stack_end java_leave_features(const struct java_step *j)
{
	const __u8 *c = j->s->code + JAVA_CODE_BEFORE;
	struct unwind_frame *f = j->f;
	__u64 *ra = &j->s->ra, *flags = j->s->words, at = f->sp + 24;
	enum stack_end end;

	if (!IS2(c, 0x0f, 0xa2))
		c -= 2;
	if (!IS2(c, 0x0f, 0xa2))
		return STACK_END_UNREADABLE;
	if (!IS3(c - 9, 0x55, 0x53, 0x56)) {
		if (unwind_read(f, flags, sizeof(*flags), f->sp) || !(*flags & 2) ||
		    *flags >> FLAGS_BITS)
			return STACK_END_UNREADABLE;
		at += 8;
	}
	if (unwind_read(f, ra, sizeof(*ra), at) || is_java_code(j->m, *ra) ||
	    call_before(f, *ra) != CALL_INDIRECT)
		return STACK_END_UNREADABLE;
	end = java_leave(f, *ra, at + 8, at - 8);
	f->kept_at = at - 16;
	f->lost &= ~(1u << UNWIND_REG_KEPT);
	return end;
}

/*
 * The leaf is in the interpreter, where a method begins or ends. The caller's sp is in a register
 * then. A caller that is interpreted itself needs none, as its frame is at rbp.
 */
static __always_inline enum stack_end java_leave_edge(const struct java_step *j)
{
	struct unwind_frame *f = j->f;
	const __u64 *regs = f->regs;
	__u64 *words = j->s->words, ra, sp;

	if (is_frame_begun(j)) {
		j->s->method = regs[JAVA_METHOD];
		return java_leave_by_fp(j, true);
	}
	if (is_java_return(j, regs[JAVA_BYTECODE]) && is_sender(f, regs[JAVA_SENDER]))
		return java_leave(f, regs[JAVA_BYTECODE], regs[JAVA_SENDER], 0);
	sp = is_sender(f, regs[JAVA_BYTECODE]) ? regs[JAVA_BYTECODE] : regs[JAVA_SENDER];
	if (unwind_read(f, &j->s->ra, sizeof(ra), f->sp))
		return STACK_END_UNREADABLE;
	ra = j->s->ra;
	if (is_interpreted(j, ra))
		return java_leave(f, ra, f->sp + 8, 0);
	if (sp > f->sp && is_sender(f, sp) && is_java_return(j, ra))
		return java_leave(f, ra, sp, 0);
	ra = regs[JAVA_RETURN];
	if (sp != regs[JAVA_BYTECODE] || !is_java_return(j, ra))
		return STACK_END_UNREADABLE;
	/* The new frame may be there already. */
	if (regs[UNWIND_REG_FP] - f->sp <= 16 &&
	    !unwind_read(f, words, 2 * sizeof(*words), regs[UNWIND_REG_FP]) && words[1] == ra)
		return java_leave(f, ra, sp, regs[UNWIND_REG_FP]);
	return java_leave(f, ra, sp, 0);
}

static __always_inline enum stack_end java_leave_interpreter(const struct java_step *j)
{
	const __u8 *c = j->s->code + JAVA_CODE_BEFORE;
	__u64 rbp;

	if (j->f->has_regs && (is_frame_left(c) || (!is_at_bytecode(j) && !is_after_return(c))))
		return java_leave_edge(j);
	if (unwind_get_reg(j->f, UNWIND_REG_FP, &rbp) ||
	    unwind_read(j->f, &j->s->method, sizeof(j->s->method), rbp - JAVA_FRAME_METHOD))
		return STACK_END_UNREADABLE;
	return java_leave_by_fp(j, true);
}

/*
 * The leaf is in an adapter, which moves arguments to where the interpreter or compiled code
 * expects them, or in a table of calls. The return address is at sp. An adapter of arguments for
 * the interpreter makes room for them, and the caller's sp is elsewhere. Compiled code calls with
 * an sp that 16 divides, and all room is a multiple of 16. So sp tells whether the room is there.
 */
static __always_inline enum stack_end java_leave_adapter(const struct java_step *j)
{
	const __u8 *c = j->s->code + JAVA_CODE_BEFORE;
	__u64 *ra = &j->s->ra;

	/* and rsp, -16; push rax: the return address comes to a new place. */
	if (c[0] == 0x50 || (IS3(c, 0x48, 0x83, 0xe4) && c[3] == 0xf0))
		return STACK_END_UNREADABLE;
	if (unwind_read(j->f, ra, sizeof(*ra), j->f->sp) ||
	    (!is_interpreted(j, *ra) && (j->f->sp & 15) != 8))
		return STACK_END_UNREADABLE;
	return java_leave_bare(j);
}

/* Where in its code is the leaf? */
static __always_inline enum java_leaf_place java_place_of_leaf(const struct java_step *j,
							       enum java_kind kind, __u64 complete)
{
	const __u8 *c = j->s->code + JAVA_CODE_BEFORE;

	j->s->left = j->s->begin + complete - j->f->pc;
	if (j->f->pc < j->s->begin + complete)
		return java_place_of_prologue(j->s);
	if (c[0] == 0x5d)
		return JAVA_PUSHED_RBP;
	if (c[0] == 0xc3 || is_stack_bang(c) || is_after_pop(c) || is_last_poll(c) ||
	    is_taken_poll(c) || (kind == JAVA_NATIVE && is_after_leave(c)))
		return JAVA_AT_RETURN;
	/* pop [rsp + number], the second half of a move between words of the frame */
	if (IS3(c, 0x8f, 0x44, 0x24) || IS3(c, 0x8f, 0x84, 0x24))
		return JAVA_PUSHED_WORD;
	return JAVA_COMPLETE;
}

/*
 * Has a compiled leaf pushed a word below its frame? String.compareTo does so for its loops. A
 * compiled method returns into HotSpot's code always. So the word where the return address would be
 * is none, and the next one stands after a call.
 */
static __always_inline bool java_has_pushed_word(const struct java_step *j)
{
	__u64 *ra = &j->s->ra, end = j->f->sp + j->s->frame_bytes;

	if (unwind_read(j->f, ra, sizeof(*ra), end - 8) || is_java_code(j->m, *ra))
		return false;
	return !unwind_read(j->f, ra, sizeof(*ra), end) && is_java_return(j, *ra);
}

/* The address of the return address of the frame at hand. */
static __always_inline __u64 java_return_at(const struct java_step *j, enum java_leaf_place place)
{
	__u64 sp = j->f->sp, end = sp + j->s->frame_bytes;

	switch (place) {
	case JAVA_AT_RETURN:
		return sp;
	case JAVA_PUSHED_RBP:
		return sp + 8;
	case JAVA_PUSHED_WORD:
		return end;
	default:
		return end - 8;
	}
}

/* The caller is HotSpot's code, as only stubs without a size of frames return elsewhere. */
static __always_inline enum stack_end java_leave_place(const struct java_step *j,
						       enum java_leaf_place place)
{
	bool is_rbp_in_place = place == JAVA_AT_RETURN || place == JAVA_RBP_LATER;
	__u64 at = java_return_at(j, place), *ra = &j->s->ra;

	if (unwind_read(j->f, ra, sizeof(*ra), at) || !is_java_code(j->m, *ra))
		return STACK_END_UNREADABLE;
	return java_leave(j->f, *ra, at + 8, is_rbp_in_place ? 0 : at - 8);
}

/* The offset of the place from which on a frame is complete; ~0: that is not known. */
static __always_inline __u64 java_complete_at(const struct java_step *j)
{
	__u32 n = blob_number(j, j->m->blob_complete & 0xfc);

	if (j->m->complete_bytes == 2) {
		n = n >> 8 * (j->m->blob_complete & 2) & 0xffff;
		return n == 0xffff ? ~0ULL : n;
	}
	return n >> 31 ? ~0ULL : n;
}

/* Bytes of the instructions by which a stub makes its frame, where HotSpot does not say it. */
#define JAVA_STUB_PROLOGUE 12

/*
 * The leaf is in a stub with a size of frames. HotSpot jumps to some stubs from the middle of a
 * method, to stop a thread or to handle an exception. There the word at sp belongs to the method,
 * and may be an old return address. Such stubs begin with a push of another register. So at the
 * first instruction the word counts where the stub makes a frame at once. Further on the return
 * address has to stand after a call of this very stub.
 */
static __always_inline enum stack_end java_leave_runtime(const struct java_step *j, __u64 complete)
{
	const __u8 *c = j->s->code + JAVA_CODE_BEFORE;
	enum java_leaf_place place;
	__u64 *ra = &j->s->ra;

	if (j->f->pc == j->s->begin && (c[0] == 0x55 || is_sub_rsp(c)))
		return java_leave_bare(j);
	place = java_place_of_leaf(j, JAVA_RUNTIME,
				   complete == ~0ULL ? JAVA_STUB_PROLOGUE : complete);
	if (unwind_read(j->f, ra, sizeof(*ra), java_return_at(j, place)) ||
	    !is_return_from(j, *ra, j->s->begin, j->s->end))
		return STACK_END_UNREADABLE;
	return java_leave_place(j, place);
}

static __always_inline enum stack_end java_leave_leaf(const struct java_step *j,
						      enum java_kind kind)
{
	__u64 complete = java_complete_at(j);
	enum java_leaf_place place;

	switch (kind) {
	case JAVA_NMETHOD:
	case JAVA_NATIVE:
		if (complete == ~0ULL)
			return STACK_END_UNREADABLE;
		place = java_place_of_leaf(j, kind, complete);
		if (place == JAVA_COMPLETE && java_has_pushed_word(j))
			place = JAVA_PUSHED_WORD;
		return java_leave_place(j, place);
	case JAVA_RUNTIME:
		return java_leave_runtime(j, complete);
	case JAVA_STUBS:
		return java_leave_stub(j);
	case JAVA_FEATURES:
		return java_leave_features(j);
	default:
		return java_leave_adapter(j);
	}
}

/*
 * Goes from the frame that java_look_at_frame has seen to its caller. Of an interpreted frame, it
 * leaves the method in the scratch. Returns STACK_GOES_ON, or how the stack ended; then the frame
 * is of no more use.
 */
static __always_inline enum stack_end java_leave_frame(const struct java_step *j)
{
	enum java_kind kind = j->s->kind;

	if (kind == JAVA_INTERPRETER)
		return java_leave_interpreter(j);
	if (kind == JAVA_UNSIZED)
		return java_leave_unsized(j);
	if (j->f->has_regs)
		return java_leave_leaf(j, kind);
	switch (kind) {
	case JAVA_NMETHOD:
	case JAVA_NATIVE:
	case JAVA_RUNTIME:
		return java_leave_place(j, JAVA_COMPLETE);
	case JAVA_STUBS:
		return java_leave_called_stub(j);
	default:
		return STACK_END_UNREADABLE;
	}
}

#endif
