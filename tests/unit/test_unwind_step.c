// SPDX-License-Identifier: GPL-2.0-or-later
/* Callers whose CFA is in a register that no step follows (unwind_find_held_cfa). */
#include <string.h>

struct unwind_frame;

/* Code at @CODE, and a stack at @STACK. Nothing else is mapped. */
#define CODE  0x10000
#define STACK 0x20000

static unsigned char code_bytes[64];
static unsigned long long stack[64];

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

#include "bpf/walk/unwind_step.h"
#include "tests/unit/suite.h"

#define CALLER    (CODE + 48) /* after a call */
#define NO_CALLER (CODE + 20)
#define AT(word)  (STACK + 8 * (word))
#define BELOW     2  /* words of the stack below the frame that the register leads to */
#define RETURN    20 /* the word with the return address */
#define HELD      8  /* a register that no step follows */

static struct unwind_frame frame;

static struct unwind_rule by_reg(unsigned int reg)
{
	return (struct unwind_rule){.cfa = UNWIND_CFA_REG,
				    .cfa_reg = reg,
				    .cfa_off = 8,
				    .ra = RETURN_AT_ENTRY,
				    .kept = UNWIND_SAVED_CFA,
				    .kept_off = -8};
}

/* The instruction before CALLER calls @target. */
static void put_call(unsigned long long target)
{
	unsigned int insn;

#ifdef BPF_HOST_ARCH_AARCH64_H
	insn = 0x94000000 | ((target - (CALLER - 4)) >> 2 & 0x3ffffff); /* bl */
#else
	insn = target - CALLER;
	code_bytes[48 - 5] = 0xe8; /* call */
#endif
	memcpy(code_bytes + 48 - 4, &insn, sizeof(insn));
}

/* A frame that has called another one, with @value in each register. */
static void begin_with(unsigned long long value)
{
	memset(code_bytes, 0x90, sizeof(code_bytes));
	put_call(CODE);
	memset(stack, 0, sizeof(stack));
	stack[RETURN] = CALLER;
	frame = (struct unwind_frame){.pc = CODE + 8, .sp = AT(BELOW)};
	for (unsigned int i = 0; i < UNWIND_NR_REGS; i++)
		frame.regs[i] = value;
}

static void begin(void)
{
	begin_with(AT(RETURN));
}

START_TEST(a_register_that_callees_leave_alone_leads_to_the_caller)
{
	const unsigned int held[] = {0, HELD, 15};

	for (unsigned int i = 0; i < 3; i++) {
		const struct unwind_rule rule = by_reg(held[i]);

		begin();
		ck_assert_int_eq(unwind_step(&frame, &rule), STACK_GOES_ON);
		ck_assert_uint_eq(frame.pc, CALLER);
		ck_assert_uint_eq(frame.sp, AT(RETURN + 1));
	}
}
END_TEST

START_TEST(the_return_address_stands_after_a_call)
{
	const struct unwind_rule rule = by_reg(HELD);

	stack[RETURN] = NO_CALLER;
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	begin();
	stack[RETURN] = 0;
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	/* The innermost frame needs no proof. */
	begin();
	stack[RETURN] = NO_CALLER;
	frame.has_regs = 1;
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_GOES_ON);
	ck_assert_uint_eq(frame.pc, NO_CALLER);
}
END_TEST

/* A direct call leads to the beginning of the function, or to a stub. */
START_TEST(an_old_return_address_is_of_another_call)
{
	const struct unwind_rule rule = by_reg(HELD);

	put_call(CODE + 8);
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_GOES_ON);
	begin();
	put_call(CODE + 12);
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	begin();
	frame.pc = CODE + UNWIND_MAX_CODE;
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	begin();
	put_call(CODE + 12);
	memcpy(code_bytes + 12, "\xff\x25", 2); /* jmp *N(%rip) */
#ifdef BPF_HOST_ARCH_AARCH64_H
	memcpy(code_bytes + 12, "\x10\x00\x00\x90", 4); /* adrp x16 */
#endif
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_GOES_ON);
}
END_TEST

START_TEST(the_frame_is_up_the_stack)
{
	const struct unwind_rule rule = by_reg(HELD);

	frame.sp = AT(RETURN);
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_GOES_ON);
	begin();
	frame.sp = AT(RETURN + 1);
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	begin();
	frame.sp = AT(RETURN + 1) - UNWIND_MAX_FRAME - 8;
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	begin();
	frame.sp += UNWIND_MAX_FRAME;
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	begin_with(AT(RETURN) + 4);
	memcpy((char *)&stack[RETURN] + 4, &(unsigned long long){CALLER}, 8);
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	begin_with(AT(1000));
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
}
END_TEST

/* A step follows some registers. Once one is lost, no frame has its value. */
START_TEST(a_register_that_is_lost_stays_lost)
{
	const unsigned int followed[] = {UNWIND_REG_FP, UNWIND_REG_KEPT, UNWIND_REG_KEPT_INSTEAD};

	for (unsigned int i = 0; i < 3; i++) {
		const struct unwind_rule rule = by_reg(followed[i]);

		begin();
		ck_assert_int_eq(unwind_step(&frame, &rule), STACK_GOES_ON);
		begin();
		frame.lost = 1u << followed[i];
		ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	}
}
END_TEST

START_TEST(other_rules_need_registers_of_the_frame)
{
	struct unwind_rule rule = by_reg(HELD);

	rule.cfa = UNWIND_CFA_DEREF;
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	begin();
	rule = by_reg(HELD);
	rule.ra = UNWIND_RA_REG;
	rule.ra_reg = 1;
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	begin();
	rule = by_reg(UNWIND_REG_PC);
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	begin();
	rule = by_reg(UNWIND_NR_REGS);
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
}
END_TEST

SUITE_MAIN_WITH("unwind_step", begin, NULL, a_register_that_callees_leave_alone_leads_to_the_caller,
		the_return_address_stands_after_a_call, an_old_return_address_is_of_another_call,
		the_frame_is_up_the_stack, a_register_that_is_lost_stays_lost,
		other_rules_need_registers_of_the_frame)
