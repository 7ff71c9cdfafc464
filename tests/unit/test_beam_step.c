// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames of code of Erlang's emulator: bpf/made/beam_step.h, bpf/made/beam_pointers.h and
 * bpf/made/beam_code.h, with code and stacks of the test's own. */
#include <string.h>

struct unwind_frame;

/* Code at @CODE, an Erlang stack at @STACK, and a process at @PROCESS. Nothing else is mapped. */
#define CODE    0x100000
#define STACK   0x200000
#define PROCESS 0x300000

/* Modules share the code from here on. */
#define SHARED (CODE + 0x800)

static unsigned char made[4096];
static unsigned long long stack[600], erlang_process[16];

static long read_from(const void *memory, unsigned long long begin, unsigned long long bytes,
		      void *dst, unsigned size, unsigned long long addr)
{
	if (addr < begin || addr - begin > bytes - size)
		return -1;
	memcpy(dst, (const char *)memory + (addr - begin), size);
	return 0;
}

static long unwind_read(const struct unwind_frame *f, void *dst, unsigned size,
			unsigned long long addr)
{
	(void)f;
	return read_from(made, CODE, sizeof(made), dst, size, addr) &&
	       read_from(stack, STACK, sizeof(stack), dst, size, addr) &&
	       read_from(erlang_process, PROCESS, sizeof(erlang_process), dst, size, addr);
}

#include "bpf/made/beam_pointers.h"
#include "bpf/made/beam_step.h"
#include "tests/unit/suite.h"

static void beam_read_next(const struct beam_step *b)
{
	beam_read_instruction(b->s);
}

static const struct beam_machine machine = {
	.normal_exit = CODE + 0x900,
	.shared = SHARED,
	.shared_end = CODE + sizeof(made),
	.main = CODE + 0xa00,
	.main_end = CODE + 0xb00,
	.process_stack = 0x58,
};

/*
 * Return addresses, which stand after a call: "call n", and one after code that others jump over.
 */
#define CALLER     (CODE + 0x400)
#define OLD_CALLER (CODE + 0x404)
#define ODD_CALLER (CODE + 0x411)
#define VALUE      0x3b /* [], the empty list */

/* The stack of the thread is far from that of Erlang. */
#define THREAD_STACK 0x500000

static struct unwind_frame frame;
static struct beam_scratch scratch;

static void begin(void)
{
	memset(made, 0x90, sizeof(made));
	memset(stack, 0, sizeof(stack));
	memset(erlang_process, 0, sizeof(erlang_process));
	memset(&scratch, 0, sizeof(scratch));
	made[CALLER - CODE - 5] = 0xe8;
	made[OLD_CALLER - CODE - 2] = 0xff; /* call *%rax */
	made[OLD_CALLER - CODE - 1] = 0xd0;
	made[ODD_CALLER - CODE - 5] = 0xe8;
	erlang_process[machine.process_stack / 8] = STACK + 16;
}

static void put_code(uint64_t at, const char *bytes, size_t nr)
{
	memcpy(made + (at - CODE), bytes, nr);
}
#define CODE_AT(at, bytes) put_code(at, bytes, sizeof(bytes) - 1)

/* The rule of the frame at @pc, with the search for the return address where that is due. */
static uint32_t rule_of(uint64_t pc, bool is_leaf, uint64_t sp, uint64_t rbp)
{
	struct beam_step b = {&frame, &machine, &scratch, PROCESS};
	uint32_t rule;

	frame = (struct unwind_frame){.pc = pc, .sp = sp, .has_regs = is_leaf};
	frame.regs[UNWIND_RBP] = rbp;
	frame.regs[UNWIND_RBX] = THREAD_STACK;
	frame.regs[BEAM_R13] = PROCESS;
	rule = beam_enter_frame(&b);
	return rule == UNWIND_RULE_BEAM ? beam_search_return(&b) : rule;
}

/* As above, in a new walk of an emulator with frame pointers. */
static uint32_t pointer_rule_of(uint64_t pc, bool is_leaf, uint64_t sp, uint64_t rbp)
{
	struct beam_step b = {&frame, &machine, &scratch, PROCESS};

	memset(&scratch, 0, sizeof(scratch));
	frame = (struct unwind_frame){.pc = pc, .sp = sp, .has_regs = is_leaf};
	frame.regs[UNWIND_RBP] = rbp;
	frame.regs[UNWIND_RBX] = THREAD_STACK;
	frame.regs[BEAM_R13] = PROCESS;
	return beam_step_pointers(&b);
}

static uint32_t rule_of_leaf(uint64_t pc)
{
	return rule_of(pc, true, STACK, 0);
}

#define ck_return_at(rule, words)                                                                  \
	do {                                                                                       \
		ck_assert_uint_eq(rule, UNWIND_RULE_NO_FRAME);                                     \
		ck_assert_uint_eq(frame.sp, STACK + 8 * (words));                                  \
	} while (0)

START_TEST(values_are_no_return_addresses)
{
	stack[0] = VALUE;
	stack[1] = OLD_CALLER | 1; /* a list */
	stack[2] = OLD_CALLER | 2; /* a tuple */
	stack[3] = CALLER;
	ck_return_at(rule_of_leaf(CODE + 0x300), 3);
	/* What is none has to be a return address. */
	stack[3] = CODE + 0x500;
	memset(&scratch, 0, sizeof(scratch));
	ck_assert_uint_eq(rule_of_leaf(CODE + 0x300), UNWIND_RULE_STOP);
	memset(&scratch, 0, sizeof(scratch));
	stack[3] = machine.normal_exit;
	ck_return_at(rule_of_leaf(CODE + 0x300), 3);
	/* The next frame is above it, and its sp is known. */
	stack[5] = VALUE;
	stack[4] = CALLER;
	frame.sp = STACK + 32;
	ck_return_at(rule_of(CALLER, false, STACK + 32, 0), 4);
}
END_TEST

START_TEST(a_new_frame_has_no_values_yet)
{
	/* sub rsp, 24; mov rdi, [rbx]; mov [rsp + 8], rdi; then the leaf */
	CODE_AT(CODE + 0x300, "\x48\x83\xec\x18\x48\x8b\x3b\x48\x89\x7c\x24\x08");
	stack[0] = stack[1] = stack[2] = OLD_CALLER;
	stack[3] = CALLER;
	ck_return_at(rule_of_leaf(CODE + 0x304), 3);
	memset(&scratch, 0, sizeof(scratch));
	ck_return_at(rule_of_leaf(CODE + 0x307), 3);
	memset(&scratch, 0, sizeof(scratch));
	ck_return_at(rule_of_leaf(CODE + 0x30c), 3);
	/* Before the frame is made. */
	memset(&scratch, 0, sizeof(scratch));
	ck_return_at(rule_of_leaf(CODE + 0x300), 0);
	/* add rsp, 16 after it */
	CODE_AT(CODE + 0x30c, "\x48\x83\xc4\x10");
	memset(&scratch, 0, sizeof(scratch));
	ck_return_at(rule_of(CODE + 0x310, true, STACK + 16, 0), 3);
	/* A call of C code does not change that. */
	CODE_AT(CODE + 0x30c, "\x48\x89\xe5\x48\x8d\x63\x80\xff\x15\x00\x01\x00\x00");
	CODE_AT(CODE + 0x319, "\x48\x89\xec");
	memset(&scratch, 0, sizeof(scratch));
	ck_return_at(rule_of(CODE + 0x319, false, THREAD_STACK - 128, STACK), 3);
}
END_TEST

/* sub rsp, 16 at @bytes before the leaf; add rax, number and nop between them */
static void put_room(uint64_t leaf, uint64_t bytes)
{
	CODE_AT(leaf - bytes, "\x48\x83\xec\x10");
	for (uint64_t at = bytes - 4; at >= 6; at -= 6)
		CODE_AT(leaf - at, "\x48\x05\x48\x81\xeb\x10");
}

START_TEST(a_frame_is_found_wherever_it_is_made)
{
	const uint64_t leaf = CODE + 0x300;

	for (uint64_t bytes = 4; bytes <= BEAM_CODE_BEFORE; bytes++) {
		begin();
		stack[0] = stack[1] = OLD_CALLER;
		stack[2] = CALLER;
		put_room(leaf, bytes);
		ck_return_at(rule_of_leaf(leaf), bytes < BEAM_CODE_BEFORE ? 2 : 0);
		/* The one nearest to the leaf counts. */
		put_room(leaf, bytes);
		CODE_AT(leaf - 4, "\x48\x83\xec\x08");
		memset(&scratch, 0, sizeof(scratch));
		ck_return_at(rule_of_leaf(leaf), 1);
	}
}
END_TEST

/* Bytes of an earlier look may follow those that are read. */
START_TEST(a_part_of_an_instruction_makes_no_frame)
{
	const uint64_t leaf = CODE + 0x300;

	for (uint64_t bytes = 1; bytes < 4; bytes++) {
		begin();
		stack[0] = VALUE;
		stack[1] = CALLER;
		CODE_AT(leaf - bytes, "\x48\x83\xec\x10");
		memcpy(scratch.code + BEAM_CODE_BEFORE, "\x48\x83\xec\x10" + bytes, 4 - bytes);
		ck_return_at(rule_of_leaf(leaf), 1);
	}
}
END_TEST

START_TEST(after_a_call_all_are_values)
{
	/* sub rsp, 24; call n; the leaf */
	CODE_AT(CODE + 0x300, "\x48\x83\xec\x18\xe8\x00\x00\x00\x00");
	stack[0] = stack[1] = stack[2] = VALUE;
	stack[3] = CALLER;
	ck_return_at(rule_of_leaf(CODE + 0x309), 3);
}
END_TEST

START_TEST(instructions_that_nobody_knows_end_the_stack)
{
	CODE_AT(CODE + 0x300, "\x48\x83\xec\x18\x62\x00\x00\x00\x00");
	stack[0] = CALLER;
	ck_assert_uint_eq(rule_of_leaf(CODE + 0x309), UNWIND_RULE_STOP);
	/* The frame's own return address has to be one. */
	CODE_AT(CODE + 0x304, "\x90\x90\x90\x90\x90");
	stack[3] = CODE + 0x500;
	memset(&scratch, 0, sizeof(scratch));
	ck_assert_uint_eq(rule_of_leaf(CODE + 0x309), UNWIND_RULE_STOP);
	/* The leaf is within an instruction. */
	CODE_AT(CODE + 0x304, "\x48\x8b\x3b");
	stack[3] = CALLER;
	memset(&scratch, 0, sizeof(scratch));
	ck_assert_uint_eq(rule_of_leaf(CODE + 0x306), UNWIND_RULE_STOP);
}
END_TEST

START_TEST(c_code_says_where_the_stack_is)
{
	uint64_t sp = THREAD_STACK - 128;

	stack[0] = OLD_CALLER;
	stack[1] = VALUE;
	stack[2] = CALLER;
	/* mov r14, rax; mov rsp, rbp */
	CODE_AT(CODE + 0x300, "\x49\x89\xc6\x48\x89\xec");
	ck_return_at(rule_of(CODE + 0x300, false, sp, STACK + 8), 2);
	/* sub r14, rax; mov rsp, [r13 + 0x58] */
	CODE_AT(CODE + 0x300, "\x49\x29\xc6\x49\x8b\x65\x58");
	memset(&scratch, 0, sizeof(scratch));
	ck_return_at(rule_of(CODE + 0x300, false, sp, STACK), 2);
	memset(&scratch, 0, sizeof(scratch));
	ck_return_at(rule_of(CODE + 0x300, true, sp, STACK), 2);
	/* It says nothing. */
	CODE_AT(CODE + 0x300, "\x49\x29\xc6\xc3");
	memset(&scratch, 0, sizeof(scratch));
	ck_assert_uint_eq(rule_of(CODE + 0x300, false, sp, STACK), UNWIND_RULE_STOP);
}
END_TEST

START_TEST(shared_code_was_called_or_ends_the_stack)
{
	stack[0] = ODD_CALLER;
	ck_return_at(rule_of_leaf(SHARED + 0x40), 0);
	/* It was jumped to. */
	stack[0] = VALUE;
	stack[1] = CALLER;
	memset(&scratch, 0, sizeof(scratch));
	ck_assert_uint_eq(rule_of_leaf(SHARED + 0x40), UNWIND_RULE_STOP);
}
END_TEST

START_TEST(stacks_end_where_processes_begin)
{
	ck_assert_uint_eq(rule_of(machine.normal_exit, false, STACK, 0), UNWIND_RULE_ROOT);
	ck_assert_uint_eq(rule_of(machine.main + 8, false, THREAD_STACK - 128, 0),
			  UNWIND_RULE_ROOT);
}
END_TEST

/* The value that the caller has in rbp. */
static uint64_t rbp_of_caller(void)
{
	__u64 rbp = 0;

	ck_assert_int_eq(unwind_get_reg(&frame, UNWIND_RBP, &rbp), 0);
	return rbp;
}

/* push rbp; mov rbp, rsp; mov rdi, [rbx]; leave; dec r14d; ret */
#define FUNCTION "\x55\x48\x89\xe5\x48\x8b\x3b\xc9\x41\xff\xce\xc3"

START_TEST(frame_pointers_lead_to_callers)
{
	struct beam_step b = {&frame, &machine, &scratch, 0};

	CODE_AT(CODE + 0x300, FUNCTION);
	stack[0] = OLD_CALLER;
	stack[4] = STACK + 64;
	stack[5] = CALLER;
	ck_return_at(pointer_rule_of(CODE + 0x304, true, STACK, STACK + 32), 5);
	ck_assert_uint_eq(rbp_of_caller(), STACK + 64);
	/* The caller's frame, and where the stack of the process ends. */
	stack[8] = 0;
	stack[9] = machine.normal_exit;
	frame = (struct unwind_frame){.pc = CALLER, .sp = STACK + 48, .fp_at = STACK + 32};
	ck_return_at(beam_step_pointers(&b), 9);
	frame.pc = machine.normal_exit;
	ck_assert_uint_eq(beam_step_pointers(&b), UNWIND_RULE_ROOT);
	/* Not down the stack, not far up, and not to anything. */
	frame = (struct unwind_frame){.pc = CALLER, .sp = STACK + 80, .fp_at = STACK + 32};
	ck_assert_uint_eq(beam_step_pointers(&b), UNWIND_RULE_STOP);
	ck_assert_uint_eq(pointer_rule_of(CODE + 0x304, true, STACK, STACK + 36), UNWIND_RULE_STOP);
	stack[5] = CALLER + 1;
	ck_assert_uint_eq(pointer_rule_of(CODE + 0x304, true, STACK, STACK + 32), UNWIND_RULE_STOP);
}
END_TEST

START_TEST(functions_begin_and_end_without_their_frame)
{
	static const uint64_t bare[] = {0x2f8, 0x300, 0x308, 0x30b};

	CODE_AT(CODE + 0x2f8, "\xeb\x06\x90\xe8\x00\x00\x00\x00" FUNCTION);
	stack[0] = stack[5] = CALLER;
	stack[4] = STACK + 64;
	for (size_t i = 0; i < sizeof(bare) / sizeof(*bare); i++) {
		ck_return_at(pointer_rule_of(CODE + bare[i], true, STACK, STACK + 32), 0);
		ck_assert_uint_eq(rbp_of_caller(), STACK + 32);
	}
	/* At leave the frame is still there. */
	ck_return_at(pointer_rule_of(CODE + 0x307, true, STACK, STACK + 32), 5);
	stack[0] = STACK + 32;
	stack[1] = CALLER;
	ck_return_at(pointer_rule_of(CODE + 0x301, true, STACK, STACK + 64), 1);
	ck_assert_uint_eq(rbp_of_caller(), STACK + 32);
	/* leave; jmp, and a jump within the function */
	CODE_AT(CODE + 0x307, "\xc9\xe9\x00\x01\x00\x00");
	stack[0] = CALLER;
	ck_return_at(pointer_rule_of(CODE + 0x308, true, STACK, STACK + 32), 0);
	CODE_AT(CODE + 0x307, "\x90");
	ck_return_at(pointer_rule_of(CODE + 0x308, true, STACK, STACK + 32), 5);
	/* A far jump may be one or the other. */
	CODE_AT(CODE + 0x308, "\x40\xe9\x00\x01\x00\x00");
	ck_assert_uint_eq(pointer_rule_of(CODE + 0x308, true, STACK, STACK + 32), UNWIND_RULE_STOP);
}
END_TEST

START_TEST(c_code_keeps_frame_pointers)
{
	uint64_t sp = THREAD_STACK - 128;

	stack[4] = STACK + 64;
	stack[5] = CALLER;
	ck_return_at(pointer_rule_of(CODE + 0x300, false, sp, STACK + 32), 5);
	/* mov rsp, [r13 + 0x58]; mov rbp, [r13 + 0x60]; leave: the collector has moved the stack */
	CODE_AT(CODE + 0x300, "\x49\x8b\x65\x58\x49\x8b\x6d\x60\xc9");
	erlang_process[machine.process_stack / 8 + 1] = STACK + 32;
	ck_return_at(pointer_rule_of(CODE + 0x300, false, sp, STACK), 5);
	/* Shared code tells by itself, or where it jumps to. */
	CODE_AT(SHARED + 0x40, "\xe9\x00\x00\x00\x00\xc9\xc3");
	ck_return_at(pointer_rule_of(SHARED + 0x40, false, sp, STACK + 32), 5);
	CODE_AT(SHARED + 0x40, "\xe9\x01");
	ck_assert_uint_eq(pointer_rule_of(SHARED + 0x40, false, sp, STACK + 32), UNWIND_RULE_STOP);
	CODE_AT(SHARED + 0x40, "\xe8");
	ck_assert_uint_eq(pointer_rule_of(SHARED + 0x40, false, sp, STACK + 32), UNWIND_RULE_STOP);
}
END_TEST

START_TEST(bounds_hold)
{
	for (size_t i = 0; i < sizeof(stack) / sizeof(*stack); i++)
		stack[i] = VALUE;
	ck_assert_uint_eq(rule_of_leaf(CODE + 0x300), UNWIND_RULE_STOP);
	memset(&scratch, 0, sizeof(scratch));
	ck_assert_uint_eq(rule_of(CODE + 0x300, true, STACK + sizeof(stack) - 16, 0),
			  UNWIND_RULE_STOP);
	memset(&scratch, 0, sizeof(scratch));
	stack[0] = 0;
	ck_assert_uint_eq(rule_of_leaf(CODE + 0x300), UNWIND_RULE_STOP);
	/* A frame of 2 GiB. */
	CODE_AT(CODE + 0x300, "\x48\x81\xec\x00\x00\x00\x7f");
	memset(&scratch, 0, sizeof(scratch));
	ck_assert_uint_eq(rule_of_leaf(CODE + 0x307), UNWIND_RULE_STOP);
}
END_TEST

/* Each instruction alone, with bytes that would mislead after it. */
START_TEST(instructions_have_their_length)
{
	static const struct {
		const char *code;
		unsigned int nr;
	} known[] = {
		{"\x48\x89\x3c\x24", 4},                          /* mov [rsp], rdi */
		{"\x48\x89\x7c\x24\x08", 5},                      /* mov [rsp + 8], rdi */
		{"\x48\x89\xbc\x24\x00\x01\x00\x00", 8},          /* mov [rsp + 256], rdi */
		{"\x48\xc7\x43\x08\x4b\x4a\x00\x00", 8},          /* mov [rbx + 8], number */
		{"\x48\xb8\x78\xb0\x87\xcf\xce\x7f\x00\x00", 10}, /* mov rax, number */
		{"\xb9\x03\x00\x00\x00", 5},                      /* mov ecx, number */
		{"\xc4\xe3\x79\x05\x43\x08\x01", 7},              /* vpermilpd xmm0, [rbx + 8], 1 */
		{"\xc5\xf8\x11\x44\x24\x20", 6},                  /* vmovups [rsp + 32], xmm0 */
		{"\x66\x49\x0f\x6e\xc7", 5},                      /* movq xmm0, r15 */
		{"\x0f\x10\x43\x20", 4},                          /* movups xmm0, [rbx + 32] */
		{"\x49\xff\x85\x08\x01\x00\x00", 7},              /* inc [r13 + 264] */
		{"\x48\x8d\x15\xe5\xff\xff\xff", 7},              /* lea rdx, [rip - 27] */
		{"\xff\x15\x00\x01\x00\x00", 6},                  /* call [rip + 256] */
		{"\xf3\x48\xab", 3},                              /* rep stosq */
		{"\x0f\x84\x00\x01\x00\x00", 6},                  /* je */
		{"\x4c\x8b\x04\xc5\x00\x00\x00\x00", 8},          /* mov r8, [rax * 8 + 0] */
		{"\xf7\xc7\x02\x00\x00\x00", 6},                  /* test edi, number */
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		memset(scratch.code, 0x62, sizeof(scratch.code));
		memcpy(scratch.code, known[i].code, known[i].nr);
		scratch.at = 0;
		beam_read_instruction(&scratch);
		ck_assert_uint_eq(scratch.kind, BEAM_PLAIN);
		ck_assert_uint_eq(scratch.bytes, known[i].nr);
	}
}
END_TEST

SUITE_MAIN_WITH("beam_step", begin, NULL, values_are_no_return_addresses,
		a_new_frame_has_no_values_yet, a_frame_is_found_wherever_it_is_made,
		a_part_of_an_instruction_makes_no_frame, after_a_call_all_are_values,
		instructions_that_nobody_knows_end_the_stack, c_code_says_where_the_stack_is,
		shared_code_was_called_or_ends_the_stack, stacks_end_where_processes_begin,
		frame_pointers_lead_to_callers, functions_begin_and_end_without_their_frame,
		c_code_keeps_frame_pointers, bounds_hold, instructions_have_their_length)
