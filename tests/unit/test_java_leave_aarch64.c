// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames of HotSpot's code on arm64: bpf/made/java_leave_aarch64.h, with code and stacks of the
 * test's own. */
#include "tests/unit/java_heap.h"

#define NOP     0xd503201f
#define STP     0xa9037bfd /* stp x29, x30, [sp, #48] */
#define LDP     0xa9437bfd /* ldp x29, x30, [sp, #48] */
#define SUB_64  0xd10103ff /* sub sp, sp, #64 */
#define ADD_64  0x910103ff /* add sp, sp, #64 */
#define POLL    0xf941ab88 /* ldr x8, [x28, #848] */
#define AND_X20 0x927cee9f /* and sp, x20, #-16 */

static void put_insn(unsigned nr, unsigned off, uint32_t insn)
{
	put(code(nr, off), &insn, sizeof(insn));
}

static void make_nops(void)
{
	begin();
	for (unsigned nr = 0; nr <= INTERPRETER; nr++)
		for (unsigned off = 0; off < BLOCK - CODE_AT; off += 4)
			put_insn(nr, off, NOP);
	make_block(CALLER, "nmethod", 64, 64);
	make_block(INTERPRETER, "Interpreter", 0, NEVER);
}

/* Walks from the leaf at @off of block @nr, which has @x30 and @x29, to its caller. */
static enum stack_end leave_leaf(unsigned nr, unsigned off, uint64_t x30, uint64_t x29)
{
	frame = (struct unwind_frame){.pc = code(nr, off), .sp = STACK, .has_regs = 1};
	frame.regs[UNWIND_REG_SP] = STACK;
	frame.regs[UNWIND_REG_FP] = x29;
	frame.regs[UNWIND_X30] = x30;
	frame.regs[JAVA_SENDER] = STACK + 96;
	return leave_frame();
}

/* A frame that is made at once. Up to the store of x30, its return address is in the register. */
START_TEST(method_that_begins)
{
	uint64_t ra = put_call(OLD, 0x40, CALLER);

	put_insn(CALLER, 8, SUB_64);
	put_insn(CALLER, 12, STP);
	ck_caller(leave_leaf(CALLER, 0, ra, 0), ra, STACK);
	ck_caller(leave_leaf(CALLER, 8, ra, 0), ra, STACK);
	ck_caller(leave_leaf(CALLER, 12, ra, 0), ra, STACK + 64);
	ck_assert_uint_eq(frame.fp_at, 0);
	stack[7] = ra;
	ck_caller(leave_leaf(CALLER, 16, 0, 0), ra, STACK + 64);
	ck_assert_uint_eq(frame.fp_at, STACK + 48);
	ck_assert_int_eq(leave_leaf(CALLER, 8, 0, 0), STACK_END_UNREADABLE);
}
END_TEST

/* One that is too large for that, or of a wrapper of C code, begins with x29 and x30. */
START_TEST(method_that_pushes)
{
	uint64_t ra = put_call(OLD, 0x40, CALLER);

	put_insn(CALLER, 8, INSN_PUSH_FRAME);
	put_insn(CALLER, 12, INSN_MOV_FP_SP);
	put_insn(CALLER, 16, SUB_64);
	ck_caller(leave_leaf(CALLER, 8, ra, 0), ra, STACK);
	stack[1] = ra;
	ck_caller(leave_leaf(CALLER, 12, 0, 0), ra, STACK + 16);
	ck_caller(leave_leaf(CALLER, 16, 0, 0), ra, STACK + 16);
	ck_assert_uint_eq(frame.fp_at, STACK);
	stack[7] = ra;
	ck_caller(leave_leaf(CALLER, 20, 0, 0), ra, STACK + 64);
}
END_TEST

START_TEST(method_that_ends)
{
	uint64_t ra = put_call(OLD, 0x40, CALLER);

	put_insn(CALLER, 0x80, LDP);
	put_insn(CALLER, 0x84, ADD_64);
	put_insn(CALLER, 0x88, POLL);
	put_insn(CALLER, 0x94, INSN_RET);
	stack[7] = ra;
	ck_caller(leave_leaf(CALLER, 0x80, 0, 0), ra, STACK + 64);
	stack[7] = 0;
	ck_caller(leave_leaf(CALLER, 0x84, ra, 0), ra, STACK + 64);
	for (unsigned off = 0x88; off <= 0x94; off += 4)
		ck_caller(leave_leaf(CALLER, off, ra, 0), ra, STACK);
	/* The next instruction is of other code. */
	ck_assert_int_eq(leave_leaf(CALLER, 0x98, ra, 0), STACK_END_UNREADABLE);
	put_insn(CALLER, 0xc0, ADD_64);
	put_insn(CALLER, 0xc4, INSN_POP_FRAME);
	stack[1] = ra;
	ck_caller(leave_leaf(CALLER, 0xc4, 0, 0), ra, STACK + 16);
	ck_caller(leave_leaf(CALLER, 0xc8, ra, 0), ra, STACK);
	put_insn(CALLER, 0xe0, 0x10fff008); /* adr x8, POLL */
	put_insn(CALLER, 0xe4, 0xf901bf88); /* str x8, [x28, #888] */
	for (unsigned off = 0xe0; off <= 0xec; off += 4)
		ck_caller(leave_leaf(CALLER, off, ra, 0), ra, STACK);
}
END_TEST

START_TEST(method_that_has_called)
{
	uint64_t ra = put_call(OLD, 0x40, CALLER);

	stack[7] = ra;
	ck_caller(leave(code(CALLER, 0x60), STACK, false), ra, STACK + 64);
	stack[7] = code(OLD, 0x60); /* no call is before it */
	ck_assert_int_eq(leave(code(CALLER, 0x60), STACK, false), STACK_END_UNREADABLE);
	/* A step along x29 has not told where the frame is. */
	stack[7] = ra;
	frame = (struct unwind_frame){
		.pc = code(CALLER, 0x60), .sp = STACK, .lost = 1u << UNWIND_SP};
	ck_assert_int_eq(leave_frame(), STACK_END_UNREADABLE);
}
END_TEST

/* x29 is that of an interpreted frame further up, or the method's own. */
START_TEST(interpreted_method_of_compiled_code)
{
	uint64_t ra = put_call(CALLER, 0x40, INTERPRETER), fp = STACK + 160;

	stack[20] = STACK + 300;
	stack[21] = code(INTERPRETER, 0x100);
	stack[19] = STACK + 200; /* the caller's sp */
	stack[17] = METHOD_AT;
	ck_caller(leave_leaf(INTERPRETER, 0x200, ra, fp), ra, STACK + 96);
	ck_assert_uint_eq(scratch.method, 0);
	ck_assert_uint_eq(frame.fp_at, 0);
	/* The frame is there, but not the caller's sp in it. */
	put_insn(INTERPRETER, 0x240, INSN_STP_SENDER);
	stack[9] = ra;
	ck_caller(leave_leaf(INTERPRETER, 0x240, ra, STACK + 64), ra, STACK + 96);
	ck_assert_uint_eq(frame.fp_at, STACK + 64);
	stack[7] = STACK + 96;
	stack[5] = METHOD_AT;
	ck_caller(leave_leaf(INTERPRETER, 0x244, ra, STACK + 64), ra, STACK + 96);
	ck_assert_uint_eq(scratch.method, METHOD_AT);
	/* It is gone, and another register has the sp. */
	put_insn(INTERPRETER, 0x2fc, INSN_POP_FRAME);
	put_insn(INTERPRETER, 0x300, AND_X20);
	frame.regs[20] = 0;
	ck_assert_int_eq(leave_leaf(INTERPRETER, 0x300, ra, fp), STACK_END_UNREADABLE);
	ck_caller(leave_leaf(INTERPRETER, 0x304, ra, fp), ra, STACK);
}
END_TEST

/* The frame may be above the sp that its interpreted caller had. */
START_TEST(interpreted_method_of_an_interpreted_one)
{
	uint64_t fp = STACK + 64;

	stack[9] = code(INTERPRETER, 0x100);
	stack[7] = STACK - 80;
	stack[5] = METHOD_AT;
	ck_caller(leave_leaf(INTERPRETER, 0x200, code(INTERPRETER, 0x100), fp),
		  code(INTERPRETER, 0x100), fp + 16);
	ck_assert_uint_eq(scratch.method, METHOD_AT);
	/* A compiled caller has no such room. */
	stack[9] = put_call(CALLER, 0x40, INTERPRETER);
	ck_assert_int_eq(leave_leaf(INTERPRETER, 0x200, 0, fp), STACK_END_UNREADABLE);
}
END_TEST

START_TEST(stub)
{
	uint64_t ra = put_call(CALLER, 0x40, STUB), old = put_call(OLD, 0x40, STUB);
	uint64_t fp = STACK + 32;

	make_block(STUB, "StubRoutines (2)", 0, NEVER);
	stack[4] = STACK + 400;
	stack[5] = old;
	/* No frame: that at x29 is of an earlier call. */
	ck_caller(leave_leaf(STUB, 0x20, ra, fp), ra, STACK);
	/* Frames: without further calls, and after one. */
	ck_caller(leave_leaf(STUB, 0x20, old, fp), old, fp + 16);
	ck_caller(leave_leaf(STUB, 0x60, code(STUB, 0x50), fp), old, fp + 16);
	put_insn(STUB, 0x80, INSN_PUSH_FRAME);
	put_insn(STUB, 0x84, INSN_MOV_FP_SP);
	stack[1] = ra;
	ck_caller(leave_leaf(STUB, 0x80, ra, fp), ra, STACK);
	ck_caller(leave_leaf(STUB, 0x84, ra, fp), ra, STACK + 16);
	ck_assert_uint_eq(frame.fp_at, STACK);
}
END_TEST

/* HotSpot jumps to such stubs, and x30 is of an earlier call. */
START_TEST(stub_of_a_compiler)
{
	uint64_t ra = put_call(CALLER, 0x40, STUB), fp = STACK + 32;

	make_block(STUB, "SafepointBlob", 128, NEVER);
	stack[5] = ra;
	ck_assert_int_eq(leave_leaf(STUB, 0, put_call(OLD, 0x40, OLD), fp), STACK_END_UNREADABLE);
	ck_caller(leave_leaf(STUB, 0x20, ra, fp), ra, fp + 16);
	put_insn(STUB, 0x7c, INSN_POP_FRAME);
	ck_caller(leave_leaf(STUB, 0x80, ra, STACK + 400), ra, STACK);
}
END_TEST

START_TEST(adapter)
{
	uint64_t ra = put_call(CALLER, 0x40, OLD);

	make_block(STUB, "I2C/C2I adapters", 0, NEVER);
	put_insn(STUB, 0, INSN_SENDER);
	ck_caller(leave_leaf(STUB, 0, ra, 0), ra, STACK);
	ck_caller(leave_leaf(STUB, 8, ra, 0), ra, STACK + 96);
	ck_caller(leave_leaf(STUB, 8, code(INTERPRETER, 0x100), 0), code(INTERPRETER, 0x100),
		  STACK);
	make_block(STUB, "vtable chunks", 0, NEVER);
	ck_caller(leave_leaf(STUB, 8, ra, 0), ra, STACK);
	ck_assert_int_eq(leave_leaf(STUB, 8, code(OLD, 0x60), 0), STACK_END_UNREADABLE);
}
END_TEST

SUITE_MAIN_WITH("java_leave_aarch64", make_nops, NULL, method_that_begins, method_that_pushes,
		method_that_ends, method_that_has_called, interpreted_method_of_compiled_code,
		interpreted_method_of_an_interpreted_one, stub, stub_of_a_compiler, adapter)
