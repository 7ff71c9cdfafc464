// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

struct unwind_frame;

/* Code at @CODE, and a stack at @STACK. Nothing else is mapped. */
#define CODE  0x10000
#define STACK 0x20000

static unsigned code_words[16];
static unsigned long long stack[16];

static long unwind_read(const struct unwind_frame *f, void *dst, unsigned size,
			unsigned long long addr)
{
	const void *from = NULL;

	(void)f;
	if (addr >= CODE && addr - CODE <= sizeof(code_words) - size)
		from = (char *)code_words + (addr - CODE);
	if (addr >= STACK && addr - STACK <= sizeof(stack) - size)
		from = (char *)stack + (addr - STACK);
	if (!from)
		return -1;
	memcpy(dst, from, size);
	return 0;
}

#include "bpf/walk/leaf_frame.h"
#include "tests/unit/suite.h"

#define NOP    0xd503201f
#define CALLER (CODE + 48)
#define SIGNED (CALLER | 0x7aULL << 56)

static void begin(void)
{
	for (int i = 0; i < 16; i++)
		code_words[i] = NOP;
	code_words[11] = 0xd63f0100; /* blr x8 */
	memset(stack, 0, sizeof(stack));
}

/* The leaf at instruction 4, which is @insn and comes after @before. */
static enum unwind_leaf leaf_of(unsigned before, unsigned insn, uint64_t x30)
{
	const struct unwind_frame f = {.pc = CODE + 16,
				       .sp = STACK,
				       .has_regs = 1,
				       .regs = {[UNWIND_X29] = STACK + 32, [UNWIND_X30] = x30}};

	code_words[3] = before;
	code_words[4] = insn;
	return find_leaf(&f);
}

START_TEST(instructions_tell_where_the_return_address_is)
{
	const unsigned push = 0xa9be7bfd, set = 0x910003fd; /* stp x29, x30, [sp, #-32]! */
	const unsigned alone[] = {push,       0xd65f03c0, 0xd65f0bff, 0xd61f0220,
				  0x90000010, 0xd503245f, 0xd503233f};

	for (size_t i = 0; i < sizeof(alone) / sizeof(*alone); i++) {
		ck_assert_uint_eq(leaf_of(NOP, alone[i], SIGNED), UNWIND_LEAF_RETURN);
		ck_assert_uint_eq(leaf_of(NOP, alone[i], CODE + 8), UNWIND_LEAF_UNKNOWN);
	}
	stack[1] = SIGNED;
	ck_assert_uint_eq(leaf_of(push, set, 0), UNWIND_LEAF_PUSHED);
	ck_assert_uint_eq(leaf_of(NOP, set, 0), UNWIND_LEAF_UNKNOWN);
}
END_TEST

/* Until it calls others, the function's frame has the return address that is in x30. */
START_TEST(the_frame_has_the_return_address)
{
	stack[5] = SIGNED;
	ck_assert_uint_eq(leaf_of(NOP, NOP, CALLER), UNWIND_LEAF_FRAMED);
	ck_assert_uint_eq(leaf_of(NOP, NOP, CALLER + 4), UNWIND_LEAF_UNKNOWN);
	stack[5] = CALLER + 4; /* no call is before it */
	ck_assert_uint_eq(leaf_of(NOP, NOP, CALLER + 4), UNWIND_LEAF_UNKNOWN);
}
END_TEST

START_TEST(unmapped_code_is_entered_after_a_call)
{
	ck_assert(is_frame_unmapped(&(struct unwind_walk){.frame.pc = CALLER, .by_fp = true}));
	ck_assert(!is_frame_unmapped(&(struct unwind_walk){.frame.pc = CALLER}));
	ck_assert(!is_frame_unmapped(&(struct unwind_walk){.frame.pc = CALLER + 4, .by_fp = true}));
	ck_assert(
		!is_frame_unmapped(&(struct unwind_walk){.frame.pc = STACK + 4096, .by_fp = true}));
}
END_TEST

SUITE_MAIN_WITH("leaf_frame_aarch64", begin, NULL, instructions_tell_where_the_return_address_is,
		the_frame_has_the_return_address, unmapped_code_is_entered_after_a_call)
