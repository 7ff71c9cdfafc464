/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells by the instructions of a method, which HotSpot has made, how much of its frame is there.
 * The instructions are those of x86-64 (macroAssembler_x86.cpp, x86_64.ad).
 */
#ifndef BPF_MADE_JAVA_CODE_H
#define BPF_MADE_JAVA_CODE_H

#include <linux/types.h>
#include <stdbool.h>

#include "bpf/made/language_machines.h"
#include "bpf/take_turns.h"

/* The frame of a leaf at its instruction. */
enum java_leaf_place {
	JAVA_COMPLETE,
	JAVA_AT_RETURN,   /* the return address is at sp, and rbp is the caller's */
	JAVA_PUSHED_RBP,  /* rbp is at sp, and the return address above it */
	JAVA_RBP_LATER,   /* sp is as in a complete frame, and rbp is still the caller's */
	JAVA_PUSHED_WORD, /* sp is a word below that of a complete frame */
};

#define IS2(c, a, b)    ((c)[0] == (a) && (c)[1] == (b))
#define IS3(c, x, y, z) ((c)[0] == (x) && (c)[1] == (y) && (c)[2] == (z))

/*
 * Bytes after the instruction at hand in which the prologue is looked for. The check of the class
 * before it may be longer. The instructions between the frame and the method are shorter.
 */
#define JAVA_PROLOGUE_SEEN (JAVA_CODE_BYTES - JAVA_CODE_BEFORE - 8)

/* mov rbp, rsp */
static __always_inline bool is_mov_rbp(const __u8 *c)
{
	return IS3(c, 0x48, 0x8b, 0xec);
}

/* sub rsp, number */
static __always_inline bool is_sub_rsp(const __u8 *c)
{
	return IS3(c, 0x48, 0x83, 0xec) || IS3(c, 0x48, 0x81, 0xec);
}

/* mov [rsp - number], eax: looks whether there is room for the frames of this method */
static __always_inline bool is_stack_bang(const __u8 *c)
{
	return IS3(c, 0x89, 0x84, 0x24) && c[6] == 0xff;
}

/* A pointer, as it cannot be in the map. */
struct java_turns {
	struct java_scratch *scratch;
};

static inline long java_look_at_prologue(__u32 i, struct java_turns *t)
{
	const __u8 *c = t->scratch->code + JAVA_CODE_BEFORE + 1;

	if (i >= JAVA_PROLOGUE_SEEN - 1)
		return 1;
	c += i;
	if (is_stack_bang(c) || is_sub_rsp(c))
		t->scratch->is_found = i + 1 < t->scratch->left;
	return t->scratch->is_found != 0;
}

/*
 * The frame before its method has begun, at the leaf's instruction. The method begins s->left bytes
 * after it. The instructions up to there are either "stack bang; push rbp; sub rsp" or "sub
 * rsp; mov [rsp + number], rbp". Before them is the check of the class.
 */
static __always_inline enum java_leaf_place java_place_of_prologue(struct java_scratch *s)
{
	const __u8 *c = s->code + JAVA_CODE_BEFORE;
	struct java_turns rest = {.scratch = s};

	if (c[0] == 0x55 || is_stack_bang(c))
		return JAVA_AT_RETURN;
	if (is_mov_rbp(c))
		return JAVA_PUSHED_RBP;
	if (is_sub_rsp(c))
		return c[-1] == 0x55 || (c[-4] == 0x55 && is_mov_rbp(c - 3)) ? JAVA_PUSHED_RBP
									     : JAVA_AT_RETURN;
	if ((IS3(c, 0x48, 0x89, 0x2c) || IS3(c, 0x48, 0x89, 0x6c) || IS3(c, 0x48, 0x89, 0xac)) &&
	    c[3] == 0x24)
		return JAVA_RBP_LATER;
	s->is_found = 0;
	take_turns(JAVA_PROLOGUE_SEEN - 1, java_look_at_prologue, &rest);
	return s->is_found || s->left > JAVA_PROLOGUE_SEEN ? JAVA_AT_RETURN : JAVA_COMPLETE;
}

/* add rsp, number; pop rbp: is that before @c? */
static __always_inline bool is_after_pop(const __u8 *c)
{
	return c[-1] == 0x5d && (IS3(c - 5, 0x48, 0x83, 0xc4) || IS3(c - 8, 0x48, 0x81, 0xc4));
}

/* Does the method ask at @c whether it is to stop, right before it returns? By version. */
static __always_inline bool is_last_poll(const __u8 *c)
{
	return (IS3(c, 0x49, 0x3b, 0x67) && IS2(c + 4, 0x0f, 0x87)) || /* cmp rsp, [r15 + n]; ja */
	       (IS3(c, 0x49, 0x3b, 0xa7) && IS2(c + 7, 0x0f, 0x87)) ||
	       (IS2(c, 0x0f, 0x87) && c[6] == 0xc3) ||
	       (IS3(c, 0x4d, 0x8b, 0x97) && IS3(c + 7, 0x41, 0x85, 0x02) && c[10] == 0xc3) ||
	       (IS3(c, 0x41, 0x85, 0x02) && c[3] == 0xc3) || /* test [r10], eax; ret */
	       (IS2(c, 0x85, 0x05) && c[6] == 0xc3);         /* test [rip + n], eax; ret */
}

/* The code of the last poll that was taken: lea r10, [rip + n]; mov [r15 + n], r10; jmp */
static __always_inline bool is_taken_poll(const __u8 *c)
{
	return (IS3(c, 0x4c, 0x8d, 0x15) && IS3(c + 7, 0x4d, 0x89, 0x97)) ||
	       (IS3(c, 0x4d, 0x89, 0x97) && c[7] == 0xe9) ||
	       (c[0] == 0xe9 && IS3(c - 7, 0x4d, 0x89, 0x97));
}

/* The wrapper of a method in C ends with: leave; a look for an exception; ret. */
static __always_inline bool is_after_leave(const __u8 *c)
{
	return c[-1] == 0xc9 || (IS2(c, 0x0f, 0x85) && c[6] == 0xc3);
}

#endif
