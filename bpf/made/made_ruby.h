/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that YJIT, the JIT compiler of Ruby 3.1 and 3.2, makes (yjit_codegen.c, codegen.rs). The
 * interpreter's loop calls it, and so does vm_sendish. It pushes r13, r12 and rbx, in which it
 * keeps Ruby's frame, context and stack of values. It keeps nothing else on the native stack, and
 * goes from function to function by jumps. So the return address is always the fourth word, and rbp
 * is the caller's. Other compilers may have made code in the same process, and a word of theirs may
 * look like a return address. But YJIT's code returns to two functions alone: the loop, and
 * vm_sendish, which calls methods.
 */
#ifndef BPF_MADE_MADE_RUBY_H
#define BPF_MADE_MADE_RUBY_H

#include <stdbool.h>

#include "bpf/languages/languages.h"
#include "bpf/made/made_code.h"
#include "bpf/take_turns.h"

#define RUBY_MADE_WORDS 3

/* Bytes before the leaf's instruction in which the code of a call is looked for. */
#define RUBY_CALL_BYTES 64

/*
 * When the code of 3.1 calls a function, it puts the new frame in force, and then fills it in:
 *
 *	49 83 ed 40		sub  $0x40,%r13
 *	4d 89 6c 24 10		mov  %r13,0x10(%r12)
 *	...
 *	49 89 45 10		mov  %rax,0x10(%r13)	the function
 *
 * Likewise for a function in C, which has no function of Ruby:
 *
 *	49 83 6c 24 10 40	subq $0x40,0x10(%r12)
 *	...
 *	48 c7 41 10 00 00 00 00	movq $0,0x10(%rcx)
 *
 * In between, the frame has the function of an older one. Are the @code bytes before an instruction
 * such that it is in between? The constants are four bytes each of these instructions.
 */
#define RUBY_NEW_FRAME      0x40ed8349
#define RUBY_SET_FUNCTION   0x10458949
#define RUBY_NEW_C_FRAME    0x4010246c
#define RUBY_CLEAR_FUNCTION 0x1041c748

struct ruby_calls {
	const __u8 *code;
	bool is_call; /* so far */
};

static inline long look_at_ruby_code(__u32 i, struct ruby_calls *calls)
{
	const __u8 *c = calls->code + i;
	__u32 word;

	if (i > RUBY_CALL_BYTES - 4)
		return 1;
	word = c[0] | c[1] << 8 | c[2] << 16 | (__u32)c[3] << 24;
	if (word == RUBY_NEW_FRAME || word == RUBY_NEW_C_FRAME)
		calls->is_call = true;
	else if (word == RUBY_SET_FUNCTION || word == RUBY_CLEAR_FUNCTION)
		calls->is_call = false;
	return 0;
}

static __always_inline bool is_ruby_call(const __u8 *code)
{
	struct ruby_calls calls = {.code = code};

	take_turns(RUBY_CALL_BYTES - 3, look_at_ruby_code, &calls);
	return calls.is_call;
}

/*
 * Is @off, of an instruction, in the code that calls YJIT's? It is in the loop or in vm_sendish.
 * The compiler may have made that a part of the core.
 */
static __always_inline bool may_call_ruby_code(const struct ruby_layout *at, __u64 off)
{
	const struct language_code *code = &at->code;

	return off - code->loop < code->loop_bytes || off - code->cold < code->cold_bytes ||
	       off - code->core < code->core_bytes || off - at->send < at->send_bytes;
}

/*
 * The number of the rule for a frame of this code, else UNWIND_NO_RULE. Offset 0 of the
 * interpreter's file, whose layout is @at, would be mapped at @base.
 */
static __always_inline __u32 ruby_made_rule(const struct unwind_frame *f,
					    const struct ruby_layout *at, __u64 base)
{
	__u64 pc;

	if (unwind_read(f, &pc, sizeof(pc), f->sp + 8 * RUBY_MADE_WORDS) ||
	    !may_call_ruby_code(at, pc - 1 - base) || !is_after_call(f, pc))
		return UNWIND_NO_RULE;
	return UNWIND_RULE_THREE_WORDS;
}

#endif
