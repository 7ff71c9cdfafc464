// SPDX-License-Identifier: GPL-2.0-or-later
/* Steps to a caller on another stack (bpf/walk/unwind_step.h, unwind_step_elsewhere). */
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

#define UNWIND_KNOWS_THREAD
#include "bpf/walk/unwind_step.h"
#include "tests/unit/suite.h"

static unsigned long long thread_pointer;

static __always_inline __u64 unwind_thread_pointer(void)
{
	return thread_pointer;
}

#define PC 0x4711

/* What the thread's data leads to, as places in HIGH: g0, its m, the goroutine. */
#define G    (HIGH + 0x100)
#define M    (HIGH + 0x140)
#define CURG (HIGH + 0x180)

static struct unwind_frame frame;

static void begin(void)
{
	memset(thread_stack, 0, sizeof(thread_stack));
	memset(go_stack, 0, sizeof(go_stack));
	thread_pointer = HIGH + 0x100;
	frame = (struct unwind_frame){.pc = 1, .sp = HIGH, .has_regs = 1};
	frame.regs[UNWIND_REG_FP] = LOW + 16;
}

static void set(unsigned long long addr, unsigned long long value)
{
	memcpy((char *)(addr < HIGH ? go_stack : thread_stack) +
		       (addr - (addr < HIGH ? LOW : HIGH)),
	       &value, sizeof(value));
}

START_TEST(by_frame_pointer)
{
	const struct unwind_rule rule = {.cfa = UNWIND_CFA_OTHER_STACK,
					 .cfa_reg = UNWIND_REG_FP,
					 .cfa_off = 16,
					 .fp = UNWIND_SAVED_CFA,
					 .fp_off = -16};

	set(LOW + 24, PC);
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_GOES_ON);
	ck_assert_uint_eq(frame.pc, PC);
	ck_assert_uint_eq(frame.sp, LOW + 32);
	ck_assert_uint_eq(frame.fp_at, LOW + 16);
	ck_assert(frame.lost & 1u << UNWIND_REG_KEPT);
	begin();
	frame.lost = 1u << UNWIND_REG_FP;
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	begin();
	frame.regs[UNWIND_REG_FP] = 8;
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_UNREADABLE);
}
END_TEST

START_TEST(from_c)
{
	const struct unwind_rule rule = {
		.cfa = UNWIND_CFA_GO_CALL, .cfa_off = 48, .cfa_add = 40, .fp_off = 8};

	set(HIGH + 48, G);
	set(HIGH + 40, 0x40); /* the depth in the goroutine's stack */
	set(G + 8, LOW + 0x80);
	set(LOW + 0x40, PC);
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_GOES_ON);
	ck_assert_uint_eq(frame.pc, PC);
	ck_assert_uint_eq(frame.sp, LOW + 0x48);
	/* On the stack of the thread already. */
	begin();
	set(HIGH + 40, HIGH + 0x80);
	set(HIGH + 0x80, PC);
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_GOES_ON);
	ck_assert_uint_eq(frame.sp, HIGH + 0x88);
	begin();
	set(HIGH + 48, 8);
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_UNREADABLE);
}
END_TEST

/* What a function of C says of the register that racecall keeps its stack pointer in. */
static const struct unwind_rule saved = {.cfa = UNWIND_CFA_REG,
					 .cfa_reg = UNWIND_REG_SP,
					 .cfa_off = 16,
					 .kept = UNWIND_SAVED_CFA,
					 .kept_off = -16,
					 .is_instead = 1};
static const struct unwind_rule kept = {
	.cfa = UNWIND_CFA_REG, .cfa_reg = UNWIND_REG_SP, .cfa_off = 8, .is_instead = 1};
static const struct unwind_rule of_other_file = {
	.cfa = UNWIND_CFA_REG, .cfa_reg = UNWIND_REG_SP, .cfa_off = 8};
static const struct unwind_rule racecall = {
	.cfa = UNWIND_CFA_OTHER_STACK, .cfa_reg = UNWIND_REG_KEPT_INSTEAD, .cfa_off = 8};

/* The detector of races: its functions, and racecall below them. */
static void put_detector(void)
{
	begin();
	frame.regs[UNWIND_REG_KEPT_INSTEAD] = LOW + 0x40;
	set(HIGH, 1);
	set(HIGH + 8, 2);
	set(HIGH + 16, 3);
	set(LOW + 0x40, PC);
}

static void check_in_go(void)
{
	ck_assert_int_eq(unwind_step(&frame, &racecall), STACK_GOES_ON);
	ck_assert_uint_eq(frame.pc, PC);
	ck_assert_uint_eq(frame.sp, LOW + 0x48);
	ck_assert_uint_eq(frame.lost, UNWIND_LOST_KEPT);
}

START_TEST(from_detector)
{
	/* In racecall itself. The frame pointer stays. */
	put_detector();
	check_in_go();
	ck_assert_uint_eq(frame.fp_at, 0);
	/* Its callee has not touched the register. */
	put_detector();
	ck_assert_int_eq(unwind_step(&frame, &kept), STACK_GOES_ON);
	check_in_go();
	/* It has saved it. */
	put_detector();
	frame.regs[UNWIND_REG_KEPT_INSTEAD] = 5;
	set(HIGH, LOW + 0x40);
	ck_assert_int_eq(unwind_step(&frame, &saved), STACK_GOES_ON);
	ck_assert_int_eq(unwind_step(&frame, &kept), STACK_GOES_ON);
	check_in_go();
}
END_TEST

START_TEST(from_library_of_detector)
{
	/* The library's table says nothing of the register, */
	put_detector();
	ck_assert_int_eq(unwind_step(&frame, &of_other_file), STACK_GOES_ON);
	ck_assert_int_eq(unwind_step(&frame, &kept), STACK_GOES_ON);
	ck_assert_int_eq(unwind_step(&frame, &racecall), STACK_END_BAD_RULE);
	/* unless a function below has saved it. */
	put_detector();
	set(HIGH + 8, LOW + 0x40);
	ck_assert_int_eq(unwind_step(&frame, &of_other_file), STACK_GOES_ON);
	ck_assert_int_eq(unwind_step(&frame, &saved), STACK_GOES_ON);
	check_in_go();
	/* Nor does the walk know the register that other files tell of. */
	put_detector();
	ck_assert_int_eq(unwind_step(&frame, &saved), STACK_GOES_ON);
	ck_assert(frame.lost & 1u << UNWIND_REG_KEPT);
}
END_TEST

static struct unwind_rule switch_rule(unsigned char reg)
{
	return (struct unwind_rule){.cfa = UNWIND_CFA_GO_SWITCH,
				    .cfa_reg = reg,
				    .cfa_off = -8,
				    .cfa_add = 0x30,
				    .fp_off = 0x20,
				    .kept_off = 0x38};
}

static void put_goroutine(void)
{
	begin();
	set(HIGH + 0xf8, G);
	set(G + 0x30, M);
	set(M + 0x20, CURG);
	set(CURG + 0x38, LOW + 0x40);
	set(CURG + 0x40, PC);
	set(LOW + 0x40, PC + 1);
}

START_TEST(to_goroutine)
{
	const struct unwind_rule called = switch_rule(0), left = switch_rule(UNWIND_REG_PC);

	put_goroutine();
	ck_assert_int_eq(unwind_step(&frame, &called), STACK_GOES_ON);
	ck_assert_uint_eq(frame.pc, PC + 1);
	ck_assert_uint_eq(frame.sp, LOW + 0x48);
	ck_assert(!(frame.lost & 1u << UNWIND_REG_FP));
	put_goroutine();
	ck_assert_int_eq(unwind_step(&frame, &left), STACK_GOES_ON);
	ck_assert_uint_eq(frame.pc, PC);
	ck_assert_uint_eq(frame.sp, LOW + 0x40);
	ck_assert(frame.lost & 1u << UNWIND_REG_FP);
}
END_TEST

START_TEST(without_goroutine)
{
	const struct unwind_rule rule = switch_rule(0);

	put_goroutine();
	set(M + 0x20, 0); /* it was given up */
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_ROOT);
	put_goroutine();
	set(M + 0x20, G); /* it runs on its own stack again */
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	put_goroutine();
	set(CURG + 0x38, 0);
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
	put_goroutine();
	set(G + 0x30, 8);
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_UNREADABLE);
	put_goroutine();
	thread_pointer = 0;
	ck_assert_int_eq(unwind_step(&frame, &rule), STACK_END_BAD_RULE);
}
END_TEST

SUITE_MAIN_WITH("go_step_x86_64", begin, NULL, by_frame_pointer, from_c, from_detector,
		from_library_of_detector, to_goroutine, without_goroutine)
