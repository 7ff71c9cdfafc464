/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinding the code that BEAM makes, the emulator of Erlang: finds the word of the stack at which
 * the return address of a frame is. No table covers this code, and by default its frames have no
 * frame pointers. The BPF program and the tests compile the same code.
 *
 * Each Erlang process has a stack of its own, on which made code runs with rsp. C code runs on the
 * thread's stack. So a walk changes the stack at the innermost frame of made code:
 *
 *	after made code has called C code      the caller's code says how it gets its stack back:
 *	                                       from rbp, or from the data of the Erlang process
 *	made code itself is the leaf           rsp, or as above while rsp is that of the thread
 *
 * On an Erlang stack the return address is the first word whose two lowest bits are 0. No value of
 * Erlang has such bits, and the collector of garbage relies on that (erl_gc.c). It may run where a
 * function waits for another one, so all words of such a frame are values.
 *
 * The innermost function is another case. After it has made room for its frame, the words there are
 * what others have left, return addresses among them. The compiler (beam_ssa_codegen.erl) stores
 * values into all of them at once, before any call. So the step looks for the instruction that made
 * room, among those straight before the one at hand. It then knows the size of the frame.
 *
 * Code that modules share has frames of one word, the return address, if it was called. Where that
 * word is none, and wherever else nothing is certain, the stack ends.
 *
 * Whoever includes this header provides unwind_read(), and beam_read_next(), which calls
 * beam_read_instruction().
 */
#ifndef BPF_MADE_BEAM_STEP_H
#define BPF_MADE_BEAM_STEP_H

#include "bpf/made/beam_code.h"
#include "bpf/made/made_code.h"
#include "bpf/take_turns.h"
#include "bpf/walk/unwind_step.h"

/* Words of a frame at most, and instructions that are read. */
#define BEAM_FRAME_WORDS   512
#define BEAM_STACK_WORDS   16384 /* that a walk searches in all frames */
#define BEAM_INSTRUCTIONS  48
#define BEAM_RESTORE_READS 24

/* The stack of a thread at made code is so far below rbx at most. */
#define BEAM_THREAD_STACK (1u << 20)

/* The number of DWARF of the register that has the Erlang process. */
#define BEAM_R13 13

struct beam_step {
	struct unwind_frame *f;
	const struct beam_machine *m;
	struct beam_scratch *s;
	__u64 process; /* the Erlang process of the thread; 0: not known */
};

/* Reads the instruction at hand. */
static void beam_read_next(const struct beam_step *b);

static __always_inline bool is_beam_shared(const struct beam_machine *m, __u64 pc)
{
	return pc - m->shared < m->shared_end - m->shared;
}

/* Is the code at hand on the stack of its thread? Then it is between C code and Erlang code. */
static __always_inline bool is_on_thread_stack(const struct unwind_frame *f)
{
	return !f->has_regs || f->regs[UNWIND_REG_KEPT] - f->sp < BEAM_THREAD_STACK;
}

static inline long beam_look_for_restore(__u32 i, struct beam_step *b)
{
	struct beam_scratch *s = b->s;

	(void)i;
	beam_read_next(b);
	if (s->kind != BEAM_PLAIN)
		return 1;
	s->at += s->bytes;
	return s->at > BEAM_CODE_AFTER - 16;
}

/* How the code at hand gets the Erlang stack back; not known if all that was read is plain. */
static __always_inline enum beam_instruction beam_find_restore(struct beam_step *b)
{
	struct beam_scratch *s = b->s;

	if (unwind_read(b->f, s->code, BEAM_CODE_AFTER, b->f->pc))
		return BEAM_UNKNOWN;
	s->at = 0;
	take_turns(BEAM_RESTORE_READS, beam_look_for_restore, b);
	return s->kind == BEAM_PLAIN ? BEAM_UNKNOWN : s->kind;
}

/* Finds where the Erlang stack is. Returns false if that is not certain. */
static __always_inline bool beam_find_stack(struct beam_step *b)
{
	struct unwind_frame *f = b->f;
	__u64 process = b->process;

	if (!is_on_thread_stack(f)) {
		b->s->stack = f->sp;
		return true;
	}
	switch (beam_find_restore(b)) {
	case BEAM_RESTORES_RBP:
		return !unwind_get_reg(f, UNWIND_REG_FP, &b->s->stack);
	case BEAM_RESTORES_SAVE:
		if (f->has_regs)
			process = f->regs[BEAM_R13];
		return process && !unwind_read(f, &b->s->stack, sizeof(b->s->stack),
					       process + b->m->process_stack);
	default:
		return false;
	}
}

/* Places at which a turn looks for an instruction, and the least bytes of that. */
#define BEAM_ROOM_PLACES 16
#define BEAM_ROOM_BYTES  4

/* Looks for sub rsp, number of one byte or four, from the leaf backward. Byte 0 stands for none. */
static inline long beam_look_for_room(__u32 i, struct beam_step *b)
{
	__u32 first = BEAM_CODE_BEFORE - BEAM_ROOM_PLACES * (i + 1);
	const __u8 *c = b->s->code + (first & (BEAM_CODE_SIZE - 1));

	if (first >= BEAM_CODE_BEFORE)
		return 1;
	for (__u32 at = 0; at < BEAM_ROOM_PLACES; at++)
		if (c[at] == 0x48 && (c[at + 1] & 0xfd) == 0x81 && c[at + 2] == 0xec &&
		    first + at <= BEAM_CODE_BEFORE - BEAM_ROOM_BYTES)
			b->s->at = first + at;
	return b->s->at != 0;
}

static inline long beam_measure_next(__u32 i, struct beam_step *b)
{
	struct beam_scratch *s = b->s;

	(void)i;
	beam_read_next(b);
	if (s->kind >= BEAM_LEAVES)
		return 1;
	s->at += s->bytes;
	return s->at >= BEAM_CODE_BEFORE;
}

/*
 * Measures the frame of a leaf of Erlang. Returns the bytes of the frame; -1 if its words are all
 * values; -2 if nothing is certain.
 */
static __always_inline __s64 beam_measure_leaf(struct beam_step *b)
{
	struct beam_scratch *s = b->s;

	if (unwind_read(b->f, s->code, BEAM_CODE_BEFORE, b->f->pc - BEAM_CODE_BEFORE))
		return -2;
	/* The last instruction that makes room on the stack. */
	s->at = 0;
	take_turns(BEAM_CODE_BEFORE / BEAM_ROOM_PLACES, beam_look_for_room, b);
	s->grown = 0;
	if (!s->at)
		return -1;
	s->kind = BEAM_PLAIN;
	take_turns(BEAM_INSTRUCTIONS, beam_measure_next, b);
	if (s->kind == BEAM_LEAVES || s->kind == BEAM_RETURNS)
		return -1;
	return s->kind < BEAM_LEAVES && s->at == BEAM_CODE_BEFORE ? s->grown : -2;
}

/* Is @pc where the stack of a process ends, or in the loop of the scheduler? */
static __always_inline bool is_beam_end(const struct beam_machine *m, __u64 pc)
{
	return pc == m->normal_exit || pc - m->main < m->main_end - m->main;
}

/*
 * Is @pc after a call? Keeps the code around it: beam_word needs it for the next frame, and one
 * read is cheaper than two.
 */
static __always_inline bool is_beam_after_call(const struct beam_step *b, __u64 pc)
{
	struct beam_scratch *s = b->s;

	s->around = 0;
	if (unwind_read(b->f, s->near, sizeof(s->near), pc - sizeof(s->near[0])))
		return is_after_call(b->f, pc);
	s->around = pc;
	return call_kind_of((const __u8 *)s->near + sizeof(s->near[0]) - CALL_BYTES) != CALL_NONE;
}

/*
 * The rule of a frame whose return address is at @at, if it is one. No call leads to the address at
 * which the stack of a process ends.
 */
static __always_inline __u32 beam_return_at(const struct beam_step *b, __u64 at)
{
	__u64 pc;

	if (unwind_read(b->f, &pc, sizeof(pc), at) ||
	    (pc != b->m->normal_exit && !is_beam_after_call(b, pc)))
		return UNWIND_RULE_STOP;
	b->f->sp = at;
	return UNWIND_RULE_NO_FRAME;
}

/*
 * Has the frame at hand a return address at a known place? Then moves sp there. Returns the number
 * of the rule: UNWIND_RULE_BEAM if beam_search_return is to find the place.
 */
static __always_inline __u32 beam_enter_frame(struct beam_step *b)
{
	struct unwind_frame *f = b->f;
	__s64 bytes;

	if (is_beam_end(b->m, f->pc))
		return UNWIND_RULE_ROOT;
	if (b->s->is_on_stack)
		return UNWIND_RULE_BEAM;
	if (!beam_find_stack(b))
		return UNWIND_RULE_STOP;
	b->s->is_on_stack = 1;
	if (is_beam_shared(b->m, f->pc))
		return beam_return_at(b, b->s->stack);
	bytes = beam_measure_leaf(b);
	if (bytes == -2 || bytes < -1 || bytes > 8 * BEAM_FRAME_WORDS)
		return UNWIND_RULE_STOP;
	if (bytes >= 0)
		return beam_return_at(b, b->s->stack + bytes);
	f->sp = b->s->stack;
	return UNWIND_RULE_BEAM;
}

/* The search for the first word that is no value. */
struct beam_search {
	struct beam_step *step;
	__u64 at;
	bool is_found;
};

static inline long beam_look_at_word(__u32 i, struct beam_search *search)
{
	__u64 word;

	if (unwind_read(search->step->f, &word, sizeof(word), search->at))
		return 1;
	if (!(word & 3)) {
		search->step->s->searched += i;
		search->is_found = true;
		return 1;
	}
	search->at += sizeof(word);
	return 0;
}

/* Moves sp to the first word that is no value. Returns the number of the rule. */
static __always_inline __u32 beam_search_return(struct beam_step *b)
{
	struct beam_search search = {.step = b, .at = b->f->sp};

	if (b->s->searched > BEAM_STACK_WORDS)
		return UNWIND_RULE_STOP;
	/* The first word is the one in most frames, and the loop costs more than a look. */
	if (!beam_look_at_word(0, &search))
		take_turns(BEAM_FRAME_WORDS - 1, beam_look_at_word, &search);
	return search.is_found ? beam_return_at(b, search.at) : UNWIND_RULE_STOP;
}

#endif
