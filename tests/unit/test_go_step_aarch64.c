// SPDX-License-Identifier: GPL-2.0-or-later
/* Steps to a caller on another stack of arm64 (bpf/walk/unwind_step.h, unwind_step_elsewhere). */
#include <string.h>

struct unwind_frame;

/* The stack of the thread is above that of the goroutine. Nothing else is mapped. */
#define HIGH  0x200000
#define LOW   0x100000
#define WORDS 64

static unsigned long long thread_stack[WORDS], go_stack[WORDS];

static long unwind_read(const struct unwind_frame *f, void *dst, unsigned size,
			unsigned long long addr)
{
	unsigned long long at = addr - (addr < HIGH ? LOW : HIGH);

	(void)f;
	if (at > sizeof(thread_stack) - size)
		return -1;
	memcpy(dst, (const char *)(addr < HIGH ? go_stack : thread_stack) + at, size);
	return 0;
}

#include "bpf/walk/unwind_step.h"
#include "tests/unit/suite.h"

#define PC     0x4711
#define CALLER 0x4811

/* What x28 leads to, as places in HIGH: g0, its m, the goroutine. */
#define G    (HIGH + 0x100)
#define M    (HIGH + 0x140)
#define CURG (HIGH + 0x180)

static struct unwind_frame frame;

static void begin(void)
{
	memset(thread_stack, 0, sizeof(thread_stack));
	memset(go_stack, 0, sizeof(go_stack));
	frame = (struct unwind_frame){.pc = 1, .sp = HIGH, .has_regs = 1};
	frame.regs[UNWIND_REG_FP] = LOW + 16;
	frame.regs[28] = G;
}

static void set(unsigned long long addr, unsigned long long value)
{
	memcpy((char *)(addr < HIGH ? go_stack : thread_stack) +
		       (addr - (addr < HIGH ? LOW : HIGH)),
	       &value, sizeof(value));
}

/* nanotime1 has called the vdso: x30 is a word above x29. */
START_TEST(by_frame_pointer)
{
	const struct unwind_rule rule = {.cfa = UNWIND_CFA_OTHER_STACK,
					 .cfa_reg = UNWIND_REG_FP,
					 .cfa_off = 56,
					 .fp = UNWIND_SAVED_CFA,
					 .fp_off = -56,
					 .kept = UNWIND_SAVED_CFA,
					 .kept_off = -48};

	set(LOW + 24, PC);
	frame.lost = 1u << UNWIND_SP;
	ck_assert(unwind_can_step(&frame, &rule));
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_GOES_ON);
	ck_assert_uint_eq(frame.pc, PC);
	ck_assert_uint_eq(frame.sp, LOW + 16 + 56);
	ck_assert_uint_eq(frame.fp_at, LOW + 16);
	ck_assert(!(frame.lost & 1u << UNWIND_SP));
	ck_assert_uint_eq(frame.has_regs, 0);
	begin();
	frame.lost = 1u << UNWIND_REG_FP;
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
}
END_TEST

START_TEST(from_c)
{
	const struct unwind_rule rule = {
		.cfa = UNWIND_CFA_GO_CALL, .cfa_reg = UNWIND_REG_SP, .cfa_add = 8, .fp_off = 8};

	set(HIGH, G);
	set(HIGH + 8, 0x40); /* the depth in the goroutine's stack */
	set(G + 8, LOW + 0x80);
	set(LOW + 0x40, PC);
	frame.lost = 1u << UNWIND_REG_FP;
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_GOES_ON);
	ck_assert_uint_eq(frame.pc, PC);
	ck_assert_uint_eq(frame.sp, LOW + 0x50);
	ck_assert_uint_eq(frame.fp_at, LOW + 0x38);
	ck_assert(!(frame.lost & 1u << UNWIND_REG_FP));
	/* On the stack of the thread already. */
	begin();
	set(HIGH + 8, HIGH + 0x80);
	set(HIGH + 0x80, PC);
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_GOES_ON);
	ck_assert_uint_eq(frame.sp, HIGH + 0x90);
	begin();
	frame.lost = 1u << UNWIND_SP;
	ck_assert(!unwind_can_step(&frame, &rule));
}
END_TEST

static struct unwind_rule switch_rule(unsigned char reg)
{
	return (struct unwind_rule){.cfa = UNWIND_CFA_GO_SWITCH,
				    .cfa_reg = reg,
				    .cfa_off = 0x58,
				    .cfa_add = 0x30,
				    .fp_off = 0x20,
				    .kept_off = 0x38};
}

static void put_goroutine(void)
{
	begin();
	set(G + 0x30, M);
	set(M, G);
	set(M + 0x20, CURG);
	set(CURG + 0x30, M);
	set(CURG + 0x38, LOW + 0x40);
	set(CURG + 0x40, PC);
	set(CURG + 0x58, CALLER);
	set(LOW + 0x40, PC + 4);
}

static void check_called(void)
{
	const struct unwind_rule called = switch_rule(0);

	ck_assert_int_eq(unwind_step(&frame, &called), STACK_GOES_ON);
	ck_assert_uint_eq(frame.pc, PC + 4);
	ck_assert_uint_eq(frame.sp, LOW + 0x50);
	ck_assert_uint_eq(frame.fp_at, LOW + 0x38);
	ck_assert_uint_eq(frame.has_regs, 0);
}

START_TEST(to_goroutine)
{
	put_goroutine();
	check_called();
	/* systemstack has made the goroutine the thread's again, and is on its way back. */
	put_goroutine();
	frame.regs[28] = CURG;
	check_called();
}
END_TEST

/* The function whose stack has to grow has its return address in x30 alone. */
START_TEST(to_goroutine_that_was_left)
{
	const struct unwind_rule left = switch_rule(UNWIND_REG_PC);
	const struct unwind_rule entry = {
		.cfa = UNWIND_CFA_REG, .cfa_reg = UNWIND_REG_SP, .ra = UNWIND_RA_KEPT};

	put_goroutine();
	frame.lost = UNWIND_LOST_KEPT;
	ck_assert_int_eq(unwind_step(&frame, &left), STACK_GOES_ON);
	ck_assert_uint_eq(frame.pc, PC);
	ck_assert_uint_eq(frame.sp, LOW + 0x40);
	ck_assert(frame.lost & 1u << UNWIND_REG_FP);
	ck_assert_uint_eq(frame.has_regs, 1);
	ck_assert_int_eq(unwind_step(&frame, &entry), STACK_GOES_ON);
	ck_assert_uint_eq(frame.pc, CALLER);
	ck_assert_uint_eq(frame.sp, LOW + 0x40);
	ck_assert_uint_eq(frame.has_regs, 0);
}
END_TEST

START_TEST(without_goroutine)
{
	const struct unwind_rule rule = switch_rule(0);

	put_goroutine();
	set(M + 0x20, 0); /* it was given up */
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_ROOT);
	put_goroutine();
	set(M, CURG); /* x28 is of something else */
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	put_goroutine();
	set(M, CURG);
	set(M + 0x20, 0);
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	put_goroutine();
	set(CURG + 0x38, 0);
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	put_goroutine();
	frame.regs[28] = 0;
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_UNREADABLE);
}
END_TEST

SUITE_MAIN_WITH("go_step_aarch64", begin, NULL, by_frame_pointer, from_c, to_goroutine,
		to_goroutine_that_was_left, without_goroutine)
