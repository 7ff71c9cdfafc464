/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinding the code of BEAM whose frames have frame pointers (erl +JPperf). C code keeps rbp, so
 * rbp leads from the thread's stack to that of the Erlang process, and there from frame to frame.
 * The innermost frame is another case. Functions begin and end so, and shared code does as well:
 *
 *	push rbp; mov rbp, rsp     the return address is at rsp, then after a word
 *	leave; ...; ret            it is at rsp again
 *	leave; jmp ...
 *
 * So the step reads the instructions at hand and after it. Code that calls C code for the collector
 * of garbage, which moves stacks, then loads rbp from the data of the Erlang process.
 */
#ifndef BPF_MADE_BEAM_POINTERS_H
#define BPF_MADE_BEAM_POINTERS_H

#include "bpf/made/beam_step.h"

/* Where the code at hand has its return address. */
enum beam_framing {
	BEAM_FRAMED,  /* the word after that to which rbp points */
	BEAM_BARE,    /* at rsp */
	BEAM_ENTERED, /* after the word at rsp, which is the caller's rbp */
	BEAM_UNCERTAIN,
};

/* Bytes of code that the step reads, those of them before pc, and instructions. */
#define BEAM_POINTER_BYTES        192
#define BEAM_JUST_BEFORE          4
#define BEAM_POINTER_INSTRUCTIONS 48

/* Reads the code at @pc, and before it. Returns 0, or another number if it cannot. */
static __always_inline long beam_read_around(const struct beam_step *b, __u64 pc)
{
	return unwind_read(b->f, b->s->code, BEAM_POINTER_BYTES, pc - BEAM_JUST_BEFORE);
}

static inline long beam_look_for_end(__u32 i, struct beam_step *b)
{
	struct beam_scratch *s = b->s;

	(void)i;
	beam_read_next(b);
	if (s->kind >= BEAM_LEAVES)
		return 1;
	if (s->kind == BEAM_RESTORES_FRAME)
		s->is_moved = 1;
	s->at += s->bytes;
	return s->at > BEAM_POINTER_BYTES - 16;
}

/*
 * Reads on until an instruction tells about the frame. Returns its kind. The scratch says is_moved
 * if rbp is loaded before that.
 */
static __always_inline enum beam_instruction beam_find_end(struct beam_step *b)
{
	b->s->at = BEAM_JUST_BEFORE;
	take_turns(BEAM_POINTER_INSTRUCTIONS, beam_look_for_end, b);
	return b->s->kind >= BEAM_LEAVES ? b->s->kind : BEAM_UNKNOWN;
}

/* As above, for shared code: it jumps to other shared code, with the same frame. */
static __always_inline enum beam_instruction beam_find_far_end(struct beam_step *b)
{
	enum beam_instruction kind = beam_find_end(b);
	__u64 pc;

	if (kind != BEAM_LEAVES || beam_byte(b->s, b->s->at) != 0xe9)
		return kind;
	pc = b->f->pc - BEAM_JUST_BEFORE + b->s->at + 5 + (__s64)beam_number(b->s, b->s->at + 1);
	if (!is_beam_shared(b->m, pc) || beam_read_around(b, pc))
		return BEAM_UNKNOWN;
	return beam_find_end(b);
}

/* Of the innermost frame, as the code of @b->s says from BEAM_JUST_BEFORE bytes before pc on. */
static __always_inline enum beam_framing beam_find_framing(struct beam_step *b)
{
	const __u8 *c = b->s->code + BEAM_JUST_BEFORE;
	bool is_shared = is_beam_shared(b->m, b->f->pc);

	if (c[0] == 0x55) /* push rbp */
		return BEAM_BARE;
	/* jmp to push rbp, over a call that is there for breakpoints */
	if (c[0] == 0xeb && c[3] == 0xe8 && c[8] == 0x55)
		return BEAM_BARE;
	if (c[0] == 0x48 && c[1] == 0x89 && c[2] == 0xe5) /* mov rbp, rsp */
		return c[-1] == 0x55 ? BEAM_ENTERED : BEAM_UNCERTAIN;
	switch (is_shared ? beam_find_far_end(b) : beam_find_end(b)) {
	case BEAM_DROPS_FRAME:
		return BEAM_FRAMED;
	case BEAM_RETURNS:
		return BEAM_BARE;
	default:
		/* A far jump, 40 e9, may be taken with the frame or without it. */
		if (is_shared || c[0] == 0x40)
			return BEAM_UNCERTAIN;
		/* leave; jmp */
		return c[-1] == 0xc9 ? BEAM_BARE : BEAM_FRAMED;
	}
}

/* Where the caller's rbp and the return address of a frame along rbp are; 0: nobody knows. */
static __always_inline __u64 beam_follow_rbp(const struct beam_step *b)
{
	struct unwind_frame *f = b->f;
	__u64 rbp;

	if (unwind_get_reg(f, UNWIND_REG_FP, &rbp) || rbp & 7 ||
	    (b->s->is_on_stack && (rbp < f->sp || rbp - f->sp > 8 * BEAM_FRAME_WORDS)))
		return 0;
	f->fp_at = rbp;
	f->lost &= ~(1u << UNWIND_REG_FP);
	return rbp + 8;
}

/* Where the return address of the innermost frame is, unless it is along rbp; 0: nobody knows. */
static __always_inline __u64 beam_enter_pointers(struct beam_step *b, bool *is_along_rbp)
{
	struct unwind_frame *f = b->f;
	bool is_thread = is_on_thread_stack(f);
	__u64 process = f->has_regs ? f->regs[BEAM_R13] : b->process;

	if (beam_read_around(b, f->pc))
		return 0;
	b->s->is_moved = 0;
	switch (beam_find_framing(b)) {
	case BEAM_BARE:
		return is_thread ? 0 : f->sp;
	case BEAM_ENTERED:
		f->fp_at = f->sp;
		return is_thread ? 0 : f->sp + 8;
	case BEAM_FRAMED:
		break;
	default:
		return 0;
	}
	*is_along_rbp = !b->s->is_moved || !is_thread || process;
	if (b->s->is_moved && is_thread && process)
		f->fp_at = process + b->m->process_stack + 8;
	return 0;
}

/* As beam_enter_frame. There is one call of each function, as each would have its stack. */
static __always_inline __u32 beam_step_pointers(struct beam_step *b)
{
	bool is_along_rbp = b->s->is_on_stack;
	__u64 at = 0;

	if (is_beam_end(b->m, b->f->pc))
		return UNWIND_RULE_ROOT;
	if (!is_along_rbp)
		at = beam_enter_pointers(b, &is_along_rbp);
	if (is_along_rbp)
		at = beam_follow_rbp(b);
	b->s->is_on_stack = 1;
	return at ? beam_return_at(b, at) : UNWIND_RULE_STOP;
}

#endif
