// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/switch_stacks.h"

#include <string.h>

#include "tests/unit/suite.h"

static const char kallsyms[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81001000 T __schedule\n"
			       "ffffffff81002000 T __traceiter_sched_switch\n"
			       "ffffffff81003000 T try_to_wake_up\n"
			       "ffffffff81004000 T asm_exc_page_fault\n"
			       "ffffffff81005000 T asm_sysvec_apic_timer_interrupt\n"
			       "ffffffff81006000 T do_syscall_64\n";

#define SCHEDULE  UINT64_C(0xffffffff81001010)
#define TRACER    UINT64_C(0xffffffff81002010)
#define WAKE_UP   UINT64_C(0xffffffff81003010)
#define FAULT     UINT64_C(0xffffffff81004010)
#define INTERRUPT UINT64_C(0xffffffff81006000) /* the return address after its last call */
#define SYSCALL   UINT64_C(0xffffffff81006010)

static struct ksyms ksyms;

static void begin(void)
{
	FILE *f = fmemopen((void *)(uintptr_t)kallsyms, strlen(kallsyms), "r");

	ck_assert_ptr_nonnull(f);
	ksyms = (struct ksyms){0};
	ck_assert_int_eq(ksyms_read_kallsyms(&ksyms, f), 0);
	fclose(f);
}

static void end(void)
{
	ksyms_deinit(&ksyms);
}

#define STACK(ended, ...)                                                                          \
	(struct raw_stack)                                                                         \
	{                                                                                          \
		.id = STACK_FIRST_ID, .frames = (const uint64_t[]){__VA_ARGS__}, .end = (ended),   \
		.nr_frames = sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)                  \
	}

START_TEST(the_tracer_is_no_leaf)
{
	struct raw_stack stack = STACK(STACK_END_SWITCH, TRACER, TRACER, SCHEDULE, TRACER);

	switch_stack_drop_tracer(&ksyms, 1, &stack);
	ck_assert_uint_eq(stack.nr_frames, 2);
	ck_assert_uint_eq(stack.frames[0], SCHEDULE);
	switch_stack_drop_tracer(&ksyms, 1, &stack);
	ck_assert_uint_eq(stack.nr_frames, 2);
}
END_TEST

START_TEST(a_stack_of_the_tracer_alone)
{
	struct raw_stack stack = STACK(STACK_END_WAKER, TRACER);

	switch_stack_drop_tracer(&ksyms, 1, &stack);
	ck_assert_uint_eq(stack.nr_frames, 0);
}
END_TEST

START_TEST(other_stacks_stay)
{
	struct raw_stack stack = STACK(STACK_END_FP, TRACER, SCHEDULE, INTERRUPT, SYSCALL);

	switch_stack_drop_tracer(&ksyms, 1, &stack);
	ck_assert(!switch_stack_cut_interrupt(&ksyms, 1, &stack));
	ck_assert_uint_eq(stack.nr_frames, 4);
	stack.end = STACK_END_SWITCH;
	ck_assert(!switch_stack_cut_interrupt(&ksyms, 1, &stack));
	ck_assert_uint_eq(stack.nr_frames, 4);
}
END_TEST

START_TEST(an_interrupt_has_no_callers)
{
	struct raw_stack stack = STACK(STACK_END_WAKER, WAKE_UP, INTERRUPT, SCHEDULE, SYSCALL);

	ck_assert(switch_stack_cut_interrupt(&ksyms, 1, &stack));
	ck_assert_uint_eq(stack.nr_frames, 2);
}
END_TEST

START_TEST(a_task_causes_its_exceptions)
{
	struct raw_stack stack = STACK(STACK_END_WAKER, WAKE_UP, FAULT, SYSCALL);

	ck_assert(!switch_stack_cut_interrupt(&ksyms, 1, &stack));
	ck_assert_uint_eq(stack.nr_frames, 3);
}
END_TEST

SUITE_MAIN_WITH("switch_stacks", begin, end, the_tracer_is_no_leaf, a_stack_of_the_tracer_alone,
		other_stacks_stay, an_interrupt_has_no_callers, a_task_causes_its_exceptions)
