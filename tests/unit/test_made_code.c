// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

struct unwind_frame;

/* Code at @CODE, and a stack at @STACK. Nothing else is mapped. */
#define CODE  0x10000
#define STACK 0x20000

static unsigned char made[64];
static unsigned long long stack[24];

static long unwind_read(const struct unwind_frame *f, void *dst, unsigned size,
			unsigned long long addr)
{
	const void *from = NULL;

	(void)f;
	if (addr >= CODE && addr - CODE <= sizeof(made) - size)
		from = made + (addr - CODE);
	if (addr >= STACK && addr - STACK <= sizeof(stack) - size)
		from = (char *)stack + (addr - STACK);
	if (!from)
		return -1;
	memcpy(dst, from, size);
	return 0;
}

#include "bpf/made/made_code.h"
#include "bpf/made/made_ruby.h"
#include "tests/unit/suite.h"

static const unsigned char stub[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd1,
				     0x48, 0x83, 0xc4, 0x08, 0xc3};

/* The stub is at the beginning of its memory, where nothing is before it. */
#define CALLER (CODE + 48)

static void begin(void)
{
	memset(made, 0, sizeof(made));
	memset(stack, 0, sizeof(stack));
	memcpy(made, stub, sizeof(stub));
	memcpy(made + 48 - 2, "\xff\xd0", 2); /* call *%rax */
}

/* The rule where the return address of the stub is @words above sp. */
static uint32_t rule_at(uint64_t pc, bool is_leaf, int words)
{
	const struct unwind_frame f = {.pc = pc, .sp = STACK, .has_regs = is_leaf};

	stack[0] = stack[1] = STACK;
	stack[words] = CALLER;
	return python_stub_rule(&f);
}

START_TEST(callers_of_the_stub_are_known)
{
	ck_assert_uint_eq(rule_at(CODE + 6, false, 1), UNWIND_RULE_WORD);
}
END_TEST

START_TEST(a_leaf_is_known_at_each_instruction)
{
	ck_assert_uint_eq(rule_at(CODE, true, 0), UNWIND_RULE_NO_FRAME);
	ck_assert_uint_eq(rule_at(CODE + 4, true, 1), UNWIND_RULE_WORD);
	ck_assert_uint_eq(rule_at(CODE + 6, true, 1), UNWIND_RULE_WORD);
	ck_assert_uint_eq(rule_at(CODE + 10, true, 0), UNWIND_RULE_NO_FRAME);
	/* The processor stops between instructions alone. */
	ck_assert_uint_eq(rule_at(CODE + 1, true, 0), UNWIND_NO_RULE);
	ck_assert_uint_eq(rule_at(CODE + 7, true, 1), UNWIND_NO_RULE);
}
END_TEST

START_TEST(the_mark_of_a_branch_target_may_come_first)
{
	memcpy(made, "\xf3\x0f\x1e\xfa", 4);
	memcpy(made + 4, stub, sizeof(stub));
	ck_assert_uint_eq(rule_at(CODE, true, 0), UNWIND_RULE_NO_FRAME);
	ck_assert_uint_eq(rule_at(CODE + 10, false, 1), UNWIND_RULE_WORD);
}
END_TEST

START_TEST(other_code_has_no_rule)
{
	for (size_t i = 0; i < sizeof(stub); i++) {
		begin();
		made[i] ^= 0x10;
		ck_assert_uint_eq(rule_at(CODE + 6, false, 1), UNWIND_NO_RULE);
	}
	begin();
	for (size_t i = 0; i < sizeof(stub); i++)
		if (i != 6)
			ck_assert_uint_eq(rule_at(CODE + i, false, 1), UNWIND_NO_RULE);
	ck_assert_uint_eq(rule_at(0x30000, false, 1), UNWIND_NO_RULE);
	ck_assert_uint_eq(rule_at(0x30000, true, 1), UNWIND_NO_RULE);
	ck_assert_uint_eq(rule_at(2, false, 1), UNWIND_NO_RULE);
}
END_TEST

START_TEST(a_return_address_stands_after_a_call)
{
	made[46] = 0x90;
	ck_assert_uint_eq(rule_at(CODE + 6, false, 1), UNWIND_NO_RULE);
	begin();
	/* It is where nothing is mapped. */
	ck_assert_uint_eq(rule_at(CODE + 6, false, 2), UNWIND_NO_RULE);
}
END_TEST

START_TEST(calls_are_known)
{
	/* Each ends the bytes, as an assembler has written it. */
	static const char *const calls[] = {
		"\x90\x90\xe8\x12\x34\x56\x78", /* call rel32 */
		"\x90\x90\x90\x90\x90\xff\xd1", /* call *%rcx */
		"\x90\x90\x90\x90\x41\xff\xd4", /* call *%r12 */
		"\x90\x90\x90\x90\x90\xff\x10", /* call *(%rax) */
		"\x90\x90\x90\x90\xff\x50\x18", /* call *0x18(%rax) */
		"\x90\x90\x90\x90\xff\x14\xc8", /* call *(%rax,%rcx,8) */
		"\x90\x90\x90\xff\x54\x24\x08", /* call *0x8(%rsp) */
		"\x90\xff\x15\x12\x34\x56\x78", /* call *rel32(%rip) */
		"\x90\xff\x90\x12\x34\x56\x78", /* call *disp32(%rax) */
		"\xff\x94\x24\x12\x34\x56\x78", /* call *disp32(%rsp) */
	};
	static const char *const others[] = {
		"\x90\x90\x90\x90\x90\x90\x90", "\x90\x90\xe9\x12\x34\x56\x78",
		"\x90\x90\x90\x90\x90\xff\xe1", "\x90\x90\x90\x90\x90\xff\xc1",
		"\x90\x90\x90\x90\x90\xff\x50", "\x90\xff\x25\x12\x34\x56\x78",
		"\x48\x83\xec\x08\xff\xd1\x48", "\xff\xd1\x48\x83\xc4\x08\xc3",
	};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		ck_assert_msg(call_kind_of((const __u8 *)calls[i]) ==
				      (i ? CALL_INDIRECT : CALL_DIRECT),
			      "call %zu", i);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		ck_assert_msg(call_kind_of((const __u8 *)others[i]) == CALL_NONE, "other %zu", i);
}
END_TEST

START_TEST(made_code_takes_the_rule_of_a_loop)
{
	struct unwind_frame f = {.pc = CODE + 6, .sp = STACK};
	struct unwind_rule rule = {.cfa = UNWIND_CFA_REG, .cfa_reg = UNWIND_RSP, .cfa_off = 32};

	stack[3] = CALLER;
	ck_assert(is_rule_of_loop(&f, &rule));
	rule.cfa_off = 24;
	ck_assert(!is_rule_of_loop(&f, &rule));
	rule.cfa_off = 32;
	rule.cfa_reg = UNWIND_RBP;
	ck_assert(!is_rule_of_loop(&f, &rule));
	f.regs[UNWIND_RBP] = STACK + 16;
	rule.cfa_off = 16;
	ck_assert(is_rule_of_loop(&f, &rule));
	rule.cfa_reg = UNWIND_RAX;
	ck_assert(!is_rule_of_loop(&f, &rule));
	rule = (struct unwind_rule){.cfa = UNWIND_CFA_NONE};
	ck_assert(!is_rule_of_loop(&f, &rule));
}
END_TEST

/*
 * The rule of a trace whose interpreter's frame is @words above sp, and whose state is at @state.
 */
static uint32_t trace_rule(int words, uint64_t state, uint64_t frame)
{
	const struct unwind_frame f = {.pc = CODE + 6, .sp = STACK};

	stack[words + 2] = state;
	stack[words + 9] = CALLER;
	memcpy(made + 16, &frame, sizeof(frame));
	return lua_trace_rule(&f);
}

/* The address of the frame is in the memory at CODE + 16. */
#define STATE (CODE + 16 - LUA_STATE_FRAME)

START_TEST(traces_run_in_the_frame_of_their_state)
{
	ck_assert_uint_eq(trace_rule(0, STATE, STACK), UNWIND_RULE_TRACE);
	begin();
	/* The lowest bits of the address are flags. */
	ck_assert_uint_eq(trace_rule(4, STATE, STACK + 4 * 8 + 2), UNWIND_RULE_TRACE + 2);
	begin();
	ck_assert_uint_eq(trace_rule(4, STATE, STACK + 6 * 8), UNWIND_NO_RULE);
	begin();
	ck_assert_uint_eq(trace_rule(3, STATE, STACK + 3 * 8), UNWIND_NO_RULE);
	begin();
	ck_assert_uint_eq(trace_rule(4, 0x30000, STACK + 4 * 8), UNWIND_NO_RULE);
	begin();
	made[46] = 0x90;
	ck_assert_uint_eq(trace_rule(4, STATE, STACK + 4 * 8), UNWIND_NO_RULE);
}
END_TEST

/* A frame that is in force has the function of an older one until its own is stored. */
START_TEST(a_call_of_ruby_code_is_known)
{
	static const __u8 insns[] = {0x49, 0x83, 0xed, 0x40, 0x4d, 0x89, 0x6c, 0x24, 0x10, 0x49,
				     0x89, 0x45, 0x20, 0x49, 0x89, 0x45, 0x10, 0x90, 0x90};
	__u8 code[RUBY_CALL_BYTES] = {0};

	ck_assert(!is_ruby_call(code));
	for (size_t nr = 0; nr <= sizeof(insns); nr++) {
		memset(code, 0xcc, sizeof(code));
		memcpy(code + sizeof(code) - nr, insns, nr);
		ck_assert_int_eq(is_ruby_call(code), nr >= 4 && nr < 17);
	}
}
END_TEST

START_TEST(so_is_a_call_of_a_function_in_c)
{
	static const __u8 begin[] = {0x49, 0x83, 0x6c, 0x24, 0x10, 0x40, 0x49,
				     0x8b, 0x4c, 0x24, 0x10, 0x48, 0x89, 0x41},
			  end[] = {0x08, 0x48, 0xc7, 0x41, 0x10, 0, 0, 0, 0};
	__u8 code[RUBY_CALL_BYTES];

	memset(code, 0xcc, sizeof(code));
	memcpy(code + sizeof(code) - 14, begin, 14);
	ck_assert(is_ruby_call(code));
	memcpy(code + sizeof(code) - 23, begin, 14);
	memcpy(code + sizeof(code) - 9, end, 9);
	ck_assert(!is_ruby_call(code));
}
END_TEST

/* Offset 0 of Ruby's file is at BASE. The code that calls YJIT's is in four places. */
#define BASE (CODE - 0x400)

static const struct ruby_layout ruby = {
	.code =
		{
			.loop = CODE - BASE,
			.loop_bytes = 8,
			.cold = CODE - BASE + 16,
			.cold_bytes = 8,
			.core = CODE - BASE + 32,
			.core_bytes = 8,
		},
	.send = CODE - BASE + 48,
	.send_bytes = 8,
};

/* The rule where word number @word of the stack returns to @pc. */
static uint32_t ruby_rule_at(int word, uint64_t pc)
{
	const struct unwind_frame f = {.pc = CODE + 40, .sp = STACK};

	memset(stack, 0, sizeof(stack));
	stack[word] = pc;
	return ruby_made_rule(&f, &ruby, BASE);
}

START_TEST(ruby_code_keeps_three_words)
{
	memset(made, 0xcc, sizeof(made));
	ck_assert_uint_eq(ruby_rule_at(3, CODE + 7), UNWIND_NO_RULE);
	made[5] = 0xff; /* call *%rax */
	made[6] = 0xd0;
	ck_assert_uint_eq(ruby_rule_at(3, CODE + 7), UNWIND_RULE_THREE_WORDS);
	ck_assert_uint_eq(ruby_rule_at(4, CODE + 7), UNWIND_NO_RULE);
	ck_assert_uint_eq(ruby_rule_at(2, CODE + 7), UNWIND_NO_RULE);
}
END_TEST

/* Other compilers may have made the code, and have called it from anywhere else. */
START_TEST(ruby_code_returns_into_the_loop)
{
	for (uint64_t at = 7; at < sizeof(made); at++) {
		bool is_in_loop = (at - 1) / 8 % 2 == 0;

		memset(made, 0xcc, sizeof(made));
		made[at - 2] = 0xff;
		made[at - 1] = 0xd0;
		ck_assert_uint_eq(ruby_rule_at(3, CODE + at),
				  is_in_loop ? UNWIND_RULE_THREE_WORDS : UNWIND_NO_RULE);
	}
}
END_TEST

/* The library that has called the code has @bytes of its own at CODE. */
static uint32_t guile_rule_at(int word, uint64_t bytes)
{
	const struct unwind_frame f = {.pc = CODE + 40, .sp = STACK};

	memset(stack, 0, sizeof(stack));
	stack[word] = CODE + 7;
	return guile_made_rule(&f, CODE, bytes);
}

START_TEST(guile_code_keeps_three_words)
{
	memset(made, 0xcc, sizeof(made));
	ck_assert_uint_eq(guile_rule_at(3, sizeof(made)), UNWIND_NO_RULE);
	made[5] = 0xff; /* call *%rax */
	made[6] = 0xd0;
	ck_assert_uint_eq(guile_rule_at(3, sizeof(made)), UNWIND_RULE_THREE_WORDS);
	ck_assert_uint_eq(guile_rule_at(3, 7), UNWIND_RULE_THREE_WORDS);
	ck_assert_uint_eq(guile_rule_at(4, sizeof(made)), UNWIND_NO_RULE);
	ck_assert_uint_eq(guile_rule_at(2, sizeof(made)), UNWIND_NO_RULE);
	/* The call is of another library. */
	ck_assert_uint_eq(guile_rule_at(3, 6), UNWIND_NO_RULE);
}
END_TEST

SUITE_MAIN_WITH("made_code", begin, NULL, so_is_a_call_of_a_function_in_c,
		callers_of_the_stub_are_known, a_leaf_is_known_at_each_instruction,
		the_mark_of_a_branch_target_may_come_first, other_code_has_no_rule,
		a_return_address_stands_after_a_call, calls_are_known,
		made_code_takes_the_rule_of_a_loop, traces_run_in_the_frame_of_their_state,
		a_call_of_ruby_code_is_known, ruby_code_keeps_three_words,
		ruby_code_returns_into_the_loop, guile_code_keeps_three_words)
