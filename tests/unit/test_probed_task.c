// SPDX-License-Identifier: GPL-2.0-or-later
/* What a task would have without uprobes (bpf/walk/probed_task.h). */
#include "record/sampling/program/helpers.h"

/* The recorder has the same functions, of its own task. */
#undef __noinline
#define __noinline               static
#define bpf_get_current_task_btf current_task

static struct task_struct *current_task(void);

/* The program is written for clang and the verifier. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "bpf/walk/probed_task.h"
#pragma GCC diagnostic pop

#include "tests/unit/suite.h"

#define PAGE  0x7ffff7ffa000ULL
#define STACK 0x7fffffffd000ULL
#define SLOT  (PAGE + 128)
#define CODE  0x401000ULL

static struct xol_area area;
static struct mm_struct mm;
static struct uprobe_task utask;
static struct task_struct task;
static struct return_instance calls[PROBED_CALLS_MAX + 1];

static struct task_struct *current_task(void)
{
	return &task;
}

/* A task with @nr calls whose stack pointers are 32 bytes apart, and whose functions return to CODE
 * + their numbers. */
static void begin(unsigned int nr)
{
	area = (struct xol_area){.vaddr = PAGE};
	mm = (struct mm_struct){.uprobes_state.xol_area = &area};
	utask = (struct uprobe_task){.return_instances = nr ? calls : NULL};
	task = (struct task_struct){.mm = &mm, .utask = &utask};
	for (unsigned int i = 0; i < nr; i++)
		calls[i] = (struct return_instance){.stack = STACK + 32 * i,
						    .orig_ret_vaddr = CODE + i,
						    .next = i + 1 < nr ? &calls[i + 1] : NULL};
}

/* Where the return address of call @i is: its function saves it on architectures where a call does
 * not push it. */
static __u64 place(unsigned int i)
{
	return STACK + 32 * i - (RETURN_BYTES ? 0 : 16);
}

START_TEST(hardly_any_task_has_met_a_probe)
{
	begin(0);
	ck_assert_uint_eq(probe_page_of(&task), PAGE);
	mm.uprobes_state.xol_area = NULL;
	ck_assert_uint_eq(probe_page_of(&task), NO_PROBE_PAGE);
	task.utask = NULL;
	ck_assert_uint_eq(probe_page_of(&task), NO_PROBE_PAGE);
	ck_assert_uint_eq(find_probed_return(PAGE, STACK), PAGE);
}
END_TEST

START_TEST(only_the_page_is_looked_at)
{
	ck_assert(is_in_probe_page(PAGE, PAGE));
	ck_assert(is_in_probe_page(PAGE, PAGE + PAGE_BYTES - 1));
	ck_assert(!is_in_probe_page(PAGE, PAGE - 1));
	ck_assert(!is_in_probe_page(PAGE, PAGE + PAGE_BYTES));
	ck_assert(!is_in_probe_page(NO_PROBE_PAGE, 0));
	ck_assert(!is_in_probe_page(NO_PROBE_PAGE, ~0ULL));
}
END_TEST

START_TEST(each_call_has_its_own_return_address)
{
	begin(PROBED_CALLS_MAX);
	for (unsigned int i = 0; i < PROBED_CALLS_MAX; i++)
		ck_assert_uint_eq(find_probed_return(PAGE, place(i)), CODE + i);
}
END_TEST

START_TEST(a_word_of_no_call_stays)
{
	begin(3);
	ck_assert_uint_eq(find_probed_return(PAGE, place(3)), PAGE);
	if (RETURN_BYTES)
		ck_assert_uint_eq(find_probed_return(PAGE, place(1) + 8), PAGE);
	begin(0);
	ck_assert_uint_eq(find_probed_return(PAGE, place(0)), PAGE);
}
END_TEST

/* A function has jumped to another one: the kernel keeps the first return address for both. */
START_TEST(the_latest_call_of_a_place_counts)
{
	begin(3);
	calls[1].stack = calls[0].stack;
	ck_assert_uint_eq(find_probed_return(PAGE, place(0)), CODE);
	ck_assert_uint_eq(find_probed_return(PAGE, place(2)), CODE + 2);
}
END_TEST

/* The list may change while a program looks at it. */
START_TEST(a_list_without_end_is_left)
{
	begin(PROBED_CALLS_MAX + 1);
	ck_assert_uint_eq(find_probed_return(PAGE, place(PROBED_CALLS_MAX)), PAGE);
	calls[2].next = calls;
	ck_assert_uint_eq(find_probed_return(PAGE, place(3)), PAGE);
	ck_assert_ptr_null(find_returned_call(&utask, place(3) + RETURN_BYTES));
}
END_TEST

START_TEST(an_instruction_in_a_slot_is_where_it_came_from)
{
	begin(0);
	ck_assert_uint_eq(find_out_of_line(&utask, SLOT), 0);
	utask.xol_vaddr = SLOT;
	utask.vaddr = CODE;
	ck_assert_uint_eq(find_out_of_line(&utask, SLOT), CODE);
	ck_assert_uint_eq(find_out_of_line(&utask, SLOT + INSN_BYTES_MAX), CODE + INSN_BYTES_MAX);
	ck_assert_uint_eq(find_out_of_line(&utask, SLOT + INSN_BYTES_MAX + 1), 0);
	ck_assert_uint_eq(find_out_of_line(&utask, SLOT - 1), 0);
	ck_assert_uint_eq(find_out_of_line(&utask, PAGE), 0);
}
END_TEST

/* A call in a slot has pushed the address after it. */
START_TEST(a_call_in_a_slot_returns_to_its_place)
{
	begin(1);
	utask.xol_vaddr = SLOT;
	utask.vaddr = CODE;
	ck_assert_uint_eq(find_probed_return(SLOT + 2, STACK - 8), CODE + 2);
	ck_assert_uint_eq(find_probed_return(SLOT + 256, STACK - 8), SLOT + 256);
}
END_TEST

START_TEST(a_call_that_has_returned_is_the_latest)
{
	const __u64 after = STACK + RETURN_BYTES;

	begin(2);
	ck_assert_ptr_eq(find_returned_call(&utask, after), &calls[0]);
	ck_assert_ptr_eq(find_returned_call(&utask, after - TRAMPOLINE_PUSHED_BYTES), &calls[0]);
	ck_assert_ptr_eq(find_returned_call(&utask, after + 32), &calls[1]);
	ck_assert_ptr_null(find_returned_call(&utask, after + 40));
	ck_assert_ptr_null(find_returned_call(&utask, after - TRAMPOLINE_PUSHED_BYTES - 8));
}
END_TEST

/* Where a call leaves its return address in a register, that is of the first call from sp on. */
START_TEST(a_register_may_have_the_return_address)
{
	bool has_link = RETURN_AT_ENTRY == UNWIND_RA_KEPT;

	begin(2);
	ck_assert_uint_eq(find_probed_link(PAGE, PAGE, STACK), has_link ? CODE : PAGE);
	ck_assert_uint_eq(find_probed_link(PAGE, PAGE, STACK + 8), has_link ? CODE + 1 : PAGE);
	ck_assert_uint_eq(find_probed_link(PAGE, CODE, STACK), CODE);
}
END_TEST

SUITE_MAIN("probed_task", hardly_any_task_has_met_a_probe, only_the_page_is_looked_at,
	   each_call_has_its_own_return_address, a_word_of_no_call_stays,
	   the_latest_call_of_a_place_counts, a_list_without_end_is_left,
	   an_instruction_in_a_slot_is_where_it_came_from, a_call_in_a_slot_returns_to_its_place,
	   a_call_that_has_returned_is_the_latest, a_register_may_have_the_return_address)
