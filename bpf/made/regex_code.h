/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leaves machine code that PCRE2 makes of regular expressions. Its assembler, sljit, makes one
 * function of each expression, which begins so:
 *
 *	f3 0f 1e fa			endbr64, in newer builds
 *	53 41 57 41 56 41 55 55		push %rbx, %r15, %r14, %r13, %rbp
 *	48 89 fb			mov %rdi,%rbx
 *	48 83 ec 50			sub $0x50,%rsp; or 48 81 ec and four bytes
 *
 * and ends with pop %rbp, %r13, %r14, %r15, %rbx and ret. In between, rsp stays where it is. Parts
 * of the function call each other: the called part takes the return address off the stack at once,
 * and puts it there again directly before its ret. So the beginning and the instruction at hand say
 * where the function's return address is. Nobody searches the stack for it.
 *
 * The memory for such code is a row of blocks (sljitExecAllocator.c). Each begins with the sizes of
 * itself and of the block before, 8 bytes each. A function follows, at a multiple of 8.
 */
#ifndef BPF_MADE_REGEX_CODE_H
#define BPF_MADE_REGEX_CODE_H

#include <stdbool.h>

#include "bpf/made/made_code.h"

/* The first word of a function, without and with the mark of a branch target. */
#define REGEX_BEGIN        0x5555415641574153ULL
#define REGEX_BRANCH_BEGIN 0x41574153fa1e0ff3ULL

/* The last instructions but ret. */
#define REGEX_END       0x5b5f415e415d415dULL
#define REGEX_END_BYTES 8
#define REGEX_RET       0xc3

/* Of a function: the head of its block, and its instructions up to the body. */
#define REGEX_BLOCK_HEAD 16
#define REGEX_HEAD_WORDS 5

/* The code that is read at a time. */
#define REGEX_PART_BYTES 512

/* Expressions with more captures and loops have larger frames. Those are left alone. */
#define REGEX_FRAME_MAX 8192

/* Memory of a step from a function to its caller. */
struct regex_scratch {
	__u64 part[REGEX_PART_BYTES / 8];
	__u64 head[REGEX_HEAD_WORDS];
	__u64 around[3];    /* instructions, from 8 bytes before the one at hand on */
	__u64 pushes;       /* the address of the first push */
	__u32 body;         /* bytes from there to the body */
	__u32 local;        /* bytes of the frame below the saved registers */
	__u64 from;         /* of a search: of the stack the first address, of code the last */
	__u64 found;        /* 0: nothing */
	__u64 start, bytes; /* PCRE2's own code */
	struct unwind_rule rule;
};

static __always_inline bool is_regex_begin(__u64 word)
{
	return word == REGEX_BEGIN || word == REGEX_BRANCH_BEGIN;
}

/* Byte number @i of the function, from the first push on. */
static __always_inline __u8 regex_byte(const struct regex_scratch *s, bool is_branch, __u32 i)
{
	return ((const __u8 *)s->head)[REGEX_BLOCK_HEAD + i + (is_branch ? 4 : 0)];
}

/* Reads the numbers of the prologue. Returns false if the code is another. */
static __always_inline bool decode_regex_head(struct regex_scratch *s, bool is_branch)
{
#define BYTE(i) ((__u32)regex_byte(s, is_branch, i))
	if (BYTE(4) != 0x56 || BYTE(5) != 0x41 || BYTE(6) != 0x55 || BYTE(7) != 0x55 ||
	    BYTE(8) != 0x48 || BYTE(9) != 0x89 || BYTE(10) != 0xfb || BYTE(11) != 0x48 ||
	    BYTE(13) != 0xec)
		return false;
	if (BYTE(12) == 0x83) {
		s->body = 15;
		s->local = BYTE(14);
		return s->local < 0x80;
	}
	s->body = 18;
	s->local = BYTE(14) | BYTE(15) << 8 | BYTE(16) << 16 | BYTE(17) << 24;
	return BYTE(12) == 0x81 && s->local < REGEX_FRAME_MAX;
#undef BYTE
}

/* Reads the function that begins at @begin. Returns false if it does not have the code at @pc. */
static __always_inline bool read_regex_function(const struct unwind_frame *f,
						struct regex_scratch *s, __u64 begin, __u64 pc)
{
	bool is_branch;

	if (unwind_read(f, s->head, sizeof(s->head), begin - REGEX_BLOCK_HEAD))
		return false;
	is_branch = s->head[REGEX_BLOCK_HEAD / 8] == REGEX_BRANCH_BEGIN;
	s->pushes = begin + (is_branch ? 4 : 0);
	return pc - begin + REGEX_BLOCK_HEAD < s->head[0] &&
	       is_regex_begin(s->head[REGEX_BLOCK_HEAD / 8]) &&
	       (is_branch ? decode_regex_head(s, true) : decode_regex_head(s, false));
}

/* The rule of a function that has pushed @words registers, and has @local bytes below them. */
static __always_inline void set_regex_rule(struct regex_scratch *s, __u32 words, __u32 local)
{
	s->rule = (struct unwind_rule){
		.cfa = UNWIND_CFA_REG,
		.cfa_reg = UNWIND_REG_SP,
		.cfa_off = (__s32)(words * 8 + 8 + local),
		.kept = words >= 1 ? UNWIND_SAVED_CFA : UNWIND_SAVED_SAME,
		.kept_off = words >= 1 ? -16 : 0,
		.fp = words >= 5 ? UNWIND_SAVED_CFA : UNWIND_SAVED_SAME,
		.fp_off = words >= 5 ? -48 : 0,
	};
}

/* The number of registers that were pushed before the instruction at @off of the prologue. */
static __always_inline int regex_pushed(__s64 off)
{
	switch (off) {
	case 1:
		return 1;
	case 3:
		return 2;
	case 5:
		return 3;
	case 7:
		return 4;
	case 8:
	case 11:
		return 5;
	default:
		return off <= 0 ? 0 : -1;
	}
}

/* Is the instruction at hand byte number @off of the function's end? */
static __always_inline bool is_regex_end(const struct regex_scratch *s, __u32 off)
{
	__u64 before = s->around[0], code = s->around[1], end = code, ret = s->around[2];

	if (off) {
		end = before >> (64 - 8 * off);
		ret = code >> (64 - 8 * off);
		if (off < REGEX_END_BYTES)
			end |= code << 8 * off;
	}
	return end == REGEX_END && (ret & 0xff) == REGEX_RET;
}

/* The number of registers that the function's end has still to pop; -1: this is not the end. */
static __always_inline int regex_left(const struct regex_scratch *s)
{
	if (is_regex_end(s, 0))
		return 5;
	if (is_regex_end(s, 1))
		return 4;
	if (is_regex_end(s, 3))
		return 3;
	if (is_regex_end(s, 5))
		return 2;
	if (is_regex_end(s, 7))
		return 1;
	return is_regex_end(s, 8) ? 0 : -1;
}

/* Is the return address of a part on the stack? Then the instruction takes it off. */
static __always_inline bool is_regex_part_end(__u64 code)
{
	return (code & 0xff) == REGEX_RET || (code & 0xff) == 0x8f || (code & 0xf8) == 0x58 ||
	       (code & 0xf8ff) == 0x5841;
}

/*
 * Makes the rule of the frame, whose function has been read. Returns false if there is none. The
 * caller of the function is PCRE2's own code.
 */
static __always_inline bool make_regex_rule(const struct unwind_frame *f, struct regex_scratch *s)
{
	__s64 off = (__s64)(f->pc - s->pushes);
	int words = -1;
	__u64 ra, at;

	set_regex_rule(s, 5, s->local);
	if (f->has_regs) {
		if (unwind_read(f, s->around, sizeof(s->around), f->pc - 8))
			return false;
		words = off < s->body ? regex_pushed(off) : regex_left(s);
		if (words >= 0)
			set_regex_rule(s, words, 0);
		else if (is_regex_part_end(s->around[1]))
			s->rule.cfa_off += 8;
	}
	if (off < s->body && words < 0)
		return false;
	at = f->sp + (__s64)s->rule.cfa_off - 8;
	return !unwind_read(f, &ra, sizeof(ra), at) && ra - s->start < s->bytes &&
	       is_return_address(f, at);
}

#endif
