// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

struct unwind_frame;

/* Code at @CODE, and a stack at @STACK. Nothing else is mapped. */
#define CODE  0x10000
#define STACK 0x20000

static unsigned char code_bytes[64];
static unsigned long long stack[96];

static long unwind_read(const struct unwind_frame *f, void *dst, unsigned size,
			unsigned long long addr)
{
	const void *from = NULL;

	(void)f;
	if (addr >= CODE && addr - CODE <= sizeof(code_bytes) - size)
		from = code_bytes + (addr - CODE);
	if (addr >= STACK && addr - STACK <= sizeof(stack) - size)
		from = (char *)stack + (addr - STACK);
	if (!from)
		return -1;
	memcpy(dst, from, size);
	return 0;
}

#include "bpf/walk/leaf_frame.h"
#include "tests/unit/suite.h"

#define CALLER (CODE + 48)
#define FP     20 /* the word of the stack that rbp points to, where it is a frame's */

static void begin(void)
{
	memset(code_bytes, 0x90, sizeof(code_bytes));
	memcpy(code_bytes + 48 - 2, "\xff\xd0", 2); /* call *%rax */
	memset(stack, 0, sizeof(stack));
	stack[FP + 1] = CALLER;
}

static enum unwind_leaf leaf_at(uint64_t pc, uint64_t sp, uint64_t fp)
{
	const struct unwind_frame f = {
		.pc = pc, .sp = sp, .has_regs = 1, .regs = {[UNWIND_RBP] = fp}};

	return find_leaf(&f);
}

/* The leaf where the instruction at @off of @bytes is about to run. */
#define LEAF_AT(bytes, off) leaf_of(bytes, sizeof(bytes) - 1, off)
static enum unwind_leaf leaf_of(const char *bytes, size_t size, int off)
{
	memset(code_bytes, 0x90, 16);
	memcpy(code_bytes, bytes, size);
	return leaf_at(CODE + off, STACK, STACK + FP * 8);
}

START_TEST(instructions_tell_where_the_return_address_is)
{
	stack[0] = stack[1] = CALLER;
	ck_assert_uint_eq(LEAF_AT("\x55\x48\x89\xe5", 0), UNWIND_LEAF_RETURN);
	ck_assert_uint_eq(LEAF_AT("\x55\x48\x89\xe5", 1), UNWIND_LEAF_PUSHED);
	ck_assert_uint_eq(LEAF_AT("\x55\x48\x8b\xec", 0), UNWIND_LEAF_RETURN);
	ck_assert_uint_eq(LEAF_AT("\x55\x48\x8b\xec", 1), UNWIND_LEAF_PUSHED);
	ck_assert_uint_eq(LEAF_AT("\xf3\x0f\x1e\xfa\x55\x48\x89\xe5", 0), UNWIND_LEAF_RETURN);
	ck_assert_uint_eq(LEAF_AT("\x5d\xc3", 1), UNWIND_LEAF_RETURN);
	ck_assert_uint_eq(LEAF_AT("\x5d\xf3\xc3", 1), UNWIND_LEAF_RETURN);
	ck_assert_uint_eq(LEAF_AT("\x5d\xf2\xc3", 1), UNWIND_LEAF_RETURN);
	ck_assert_uint_eq(LEAF_AT("\x5d\xc2\x08\x00", 1), UNWIND_LEAF_RETURN);
	/* Others do not: a push may be one of several, a mark that of a branch. */
	ck_assert_uint_eq(LEAF_AT("\x55\x53\x48\x89\xe5", 0), UNWIND_LEAF_UNKNOWN);
	ck_assert_uint_eq(LEAF_AT("\xf3\x0f\x1e\xfa\x53", 0), UNWIND_LEAF_UNKNOWN);
	ck_assert_uint_eq(LEAF_AT("\x53\x48\x89\xe5", 1), UNWIND_LEAF_UNKNOWN);
}
END_TEST

START_TEST(a_return_address_stands_after_a_call)
{
	stack[0] = CODE + 20;
	stack[1] = CALLER;
	ck_assert_uint_eq(LEAF_AT("\x90\xc3", 1), UNWIND_LEAF_UNKNOWN);
	ck_assert_uint_eq(LEAF_AT("\x55\x48\x89\xe5", 1), UNWIND_LEAF_PUSHED);
	stack[1] = CODE + 20;
	ck_assert_uint_eq(LEAF_AT("\x55\x48\x89\xe5", 1), UNWIND_LEAF_UNKNOWN);
}
END_TEST

/* A return address between sp and fp may be that of a function without a frame. */
START_TEST(a_frame_without_return_addresses_is_the_leafs)
{
	for (int i = 0; i < FP; i++)
		stack[i] = i % 2 ? i : STACK + 8 * i;
	ck_assert_uint_eq(leaf_at(CODE + 8, STACK, STACK + FP * 8), UNWIND_LEAF_FRAMED);
	ck_assert_uint_eq(leaf_at(CODE + 8, STACK + FP * 8, STACK + FP * 8), UNWIND_LEAF_FRAMED);
	for (int i = 0; i < FP; i++) {
		uint64_t had = stack[i];

		stack[i] = CALLER;
		ck_assert_uint_eq(leaf_at(CODE + 8, STACK, STACK + FP * 8), UNWIND_LEAF_UNKNOWN);
		stack[i] = had;
	}
}
END_TEST

START_TEST(other_values_of_fp_are_no_frame)
{
	ck_assert_uint_eq(leaf_at(CODE + 8, STACK, 0), UNWIND_LEAF_UNKNOWN);
	ck_assert_uint_eq(leaf_at(CODE + 8, STACK, STACK + FP * 8 + 4), UNWIND_LEAF_UNKNOWN);
	ck_assert_uint_eq(leaf_at(CODE + 8, STACK, STACK + FP * 8 + 8), UNWIND_LEAF_UNKNOWN);
	ck_assert_uint_eq(leaf_at(CODE + 8, STACK + FP * 8 + 8, STACK + FP * 8),
			  UNWIND_LEAF_UNKNOWN);
}
END_TEST

START_TEST(the_search_ends)
{
	stack[FP + 1] = 0;
	stack[LEAF_MAX_WORDS + 1] = CALLER;
	ck_assert_uint_eq(leaf_at(CODE + 8, STACK, STACK + LEAF_MAX_WORDS * 8), UNWIND_LEAF_FRAMED);
	stack[LEAF_MAX_WORDS + 2] = CALLER;
	stack[LEAF_MAX_WORDS + 1] = 0;
	ck_assert_uint_eq(leaf_at(CODE + 8, STACK, STACK + LEAF_MAX_WORDS * 8 + 8),
			  UNWIND_LEAF_UNKNOWN);
	begin();
	for (int i = 0; i < LEAF_MAX_LOOKS; i++)
		stack[i] = STACK;
	ck_assert_uint_eq(leaf_at(CODE + 8, STACK, STACK + FP * 8), UNWIND_LEAF_FRAMED);
	stack[LEAF_MAX_LOOKS] = STACK;
	ck_assert_uint_eq(leaf_at(CODE + 8, STACK, STACK + FP * 8), UNWIND_LEAF_UNKNOWN);
}
END_TEST

SUITE_MAIN_WITH("leaf_frame_x86_64", begin, NULL, instructions_tell_where_the_return_address_is,
		a_return_address_stands_after_a_call, a_frame_without_return_addresses_is_the_leafs,
		other_values_of_fp_are_no_frame, the_search_ends)
