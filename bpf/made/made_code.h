/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for code that a runtime has made while it ran. Such code has no table, and its frames need
 * not be along rbp. Each rule here is of one runtime and fixed: the code's own bytes, or its place,
 * say that it holds. Nobody searches the stack for something like a return address. Such a search
 * finds old words, and its stacks look complete and are wrong.
 *
 * As a last check, the word that a rule takes for the return address has to stand after a call. A
 * caller that is not certain is none.
 */
#ifndef BPF_MADE_MADE_CODE_H
#define BPF_MADE_MADE_CODE_H

#include <stdbool.h>

#include "bpf/take_turns.h"
#include "bpf/walk/unwind_step.h"

/*
 * With -X perf, CPython 3.12 and 3.13 call each function by a copy of one stub, which is all of its
 * code (Python/asm_trampoline.S):
 *
 *	48 83 ec 08	sub    $0x8,%rsp
 *	ff d1		call   *%rcx
 *	48 83 c4 08	add    $0x8,%rsp
 *	c3		ret
 *
 * Before it, there may be f3 0f 1e fa (endbr64). Later versions have a frame along rbp.
 */
#define PYTHON_STUB_BYTES 11

static __always_inline bool is_python_stub(const __u8 *c)
{
	return c[0] == 0x48 && c[1] == 0x83 && c[2] == 0xec && c[3] == 8 && c[4] == 0xff &&
	       c[5] == 0xd1 && c[6] == 0x48 && c[7] == 0x83 && c[8] == 0xc4 && c[9] == 8 &&
	       c[10] == 0xc3;
}

/* How far the instruction that begins with the 4 bytes at @c would be from the stub's beginning. */
static __always_inline int python_stub_place(const __u8 *c)
{
	switch (c[0]) {
	case 0xf3:
		return -4;
	case 0x48:
		return c[2] == 0xec ? 0 : 6;
	case 0xff:
		return 4;
	default:
		return 10;
	}
}

#define PYTHON_STUB_RETURN 6

/* Would the call of a stub return to @pc? */
static __always_inline bool is_after_python_stub(const struct unwind_frame *f, __u64 pc)
{
	__u8 code[PYTHON_STUB_BYTES];

	return !unwind_read(f, code, sizeof(code), pc - PYTHON_STUB_RETURN) && is_python_stub(code);
}

/* The number of the rule if the frame is one of CPython's stub, else UNWIND_NO_RULE. */
static __always_inline __u32 python_stub_rule(const struct unwind_frame *f)
{
	__u8 code[PYTHON_STUB_BYTES];
	int place = PYTHON_STUB_RETURN;
	__u32 rule;

	if (f->has_regs) {
		if (unwind_read(f, code, 4, f->pc))
			return UNWIND_NO_RULE;
		place = python_stub_place(code);
	}
	if (unwind_read(f, code, sizeof(code), f->pc - (__s64)place) || !is_python_stub(code))
		return UNWIND_NO_RULE;
	rule = place == 4 || place == 6 ? UNWIND_RULE_WORD : UNWIND_RULE_NO_FRAME;
	return is_return_address(f, f->sp + (rule == UNWIND_RULE_WORD ? 8 : 0)) ? rule
										: UNWIND_NO_RULE;
}

/*
 * Code that the JIT compiler of PHP makes runs in the frame of the interpreter's loop, execute_ex.
 * So it takes the rule of that function's body, whose frame is at rsp or at rbp. Finds where the
 * return address is, if @rule, of the body, holds for the frame. Returns false if it cannot hold.
 */
static __always_inline bool find_loop_return(const struct unwind_frame *f,
					     const struct unwind_rule *rule, __u64 *at)
{
	__u64 base;

	if (rule->cfa != UNWIND_CFA_REG || rule->ra != UNWIND_RA_CFA ||
	    (rule->cfa_reg != UNWIND_REG_SP && rule->cfa_reg != UNWIND_REG_FP) ||
	    unwind_get_reg(f, rule->cfa_reg, &base))
		return false;
	*at = base + (__s64)rule->cfa_off - 8;
	return true;
}

/* Does @rule, of the body of the loop, hold for the frame? */
static __always_inline bool is_rule_of_loop(const struct unwind_frame *f,
					    const struct unwind_rule *rule)
{
	__u64 at;

	return find_loop_return(f, rule, &at) && is_return_address(f, at);
}

/*
 * All code that Guile makes runs below three words, in which the code that begins and ends it keeps
 * registers, the first of them rbx (enter_mcode in libguile/jit.c). Guile's library has called it,
 * and has @bytes of code at @start. While that code puts its words down, the rule does not hold.
 */
#define GUILE_MADE_WORDS 3

/* The number of the rule if it holds for the frame, else UNWIND_NO_RULE. */
static __always_inline __u32 guile_made_rule(const struct unwind_frame *f, __u64 start, __u64 bytes)
{
	__u64 pc;

	return !unwind_read(f, &pc, sizeof(pc), f->sp + 8 * GUILE_MADE_WORDS) &&
			       pc - 1 - start < bytes && is_after_call(f, pc)
		       ? UNWIND_RULE_THREE_WORDS
		       : UNWIND_NO_RULE;
}

/*
 * A trace of LuaJIT runs in the frame of its interpreter (lj_vm_x64.dasc), after some words of its
 * own. In that frame is the Lua state, and the state has the address of the frame. So a frame that
 * says a state which says that frame is the interpreter's. Offsets are those of builds with 64-bit
 * pointers (LJ_GC64): CFRAME_OFS_L in lj_frame.h, and cframe in lj_obj.h. Others never agree.
 */
#define LUA_FRAME_STATE 16
#define LUA_STATE_FRAME 80
#define LUA_FRAME_FLAGS 3ULL

/* Is @state that of the interpreter's frame at @frame? */
static __always_inline bool is_lua_state(const struct unwind_frame *f, __u64 state, __u64 frame)
{
	/* A word would move the window of the stack. */
	__u64 words[2];

	return !(state & 7) && state &&
	       !unwind_read(f, words, sizeof(words), state + LUA_STATE_FRAME) &&
	       (words[0] & ~LUA_FRAME_FLAGS) == frame;
}

/* The search for the frame of the interpreter. */
struct lua_search {
	const struct unwind_frame *f;
	__u32 words; /* pairs of words below it, if it is found */
	bool is_found;
};

static inline long look_at_lua_frame(__u32 i, struct lua_search *search)
{
	const struct unwind_frame *f = search->f;
	__u64 frame = f->sp + (__u64)i * 16, state;

	if (unwind_read(f, &state, sizeof(state), frame + LUA_FRAME_STATE))
		return 1;
	if (!is_lua_state(f, state, frame))
		return 0;
	search->words = i;
	search->is_found = true;
	return 1;
}

/* The number of the rule for a frame of a trace, else UNWIND_NO_RULE. */
static __always_inline __u32 lua_trace_rule(const struct unwind_frame *f)
{
	struct lua_search search = {.f = f};

	take_turns(UNWIND_NR_TRACE_RULES, look_at_lua_frame, &search);
	if (!search.is_found ||
	    !is_return_address(f, f->sp + (__u64)search.words * 16 + UNWIND_LUA_FRAME - 8))
		return UNWIND_NO_RULE;
	return UNWIND_RULE_TRACE + search.words;
}

#endif
