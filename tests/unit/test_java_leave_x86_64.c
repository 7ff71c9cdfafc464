// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames of HotSpot's code, at instructions at which a frame is not whole:
 * bpf/made/java_leave_x86_64.h,
 * with code and stacks of the test's own. */
#include "tests/unit/java_heap.h"

/* HotSpot stops threads in the middle of a method. An old return address is in the frame of that
 * method. */
START_TEST(stop_in_a_method)
{
	make_block(STUB, "SafepointBlob", 128, NEVER);
	put(code(STUB, 0), "\x53\x55\x48\x8b\xec\x9c",
	    6); /* push rbx; push rbp; mov rbp, rsp; pushf */
	stack[0] = put_call(CALLER, 0x40, OLD);
	ck_assert_int_eq(leave_stub(0), STACK_END_UNREADABLE);
	ck_assert_int_eq(leave_stub(1), STACK_END_UNREADABLE);
	ck_assert_int_eq(leave_stub(2), STACK_END_UNREADABLE);
}
END_TEST

/* It also stops them at the end of a method, whose frame is gone. */
START_TEST(stop_at_a_return)
{
	uint64_t ra = put_call(CALLER, 0x40, OLD);

	make_block(STUB, "SafepointBlob", 128, NEVER);
	put(code(STUB, 0), "\x55\x48\x8b\xec\x9c", 5); /* push rbp; mov rbp, rsp; pushf */
	stack[0] = ra;
	ck_caller(leave_stub(0), ra, STACK + 8);
	stack[0] = 0;
	stack[1] = ra;
	ck_assert_int_eq(leave_stub(5), STACK_END_UNREADABLE);
}
END_TEST

START_TEST(exception_in_a_method)
{
	make_block(STUB, "ExceptionBlob", 32, NEVER);
	put(code(STUB, 0), "\x52\x48\x83\xec\x08\x48\x89\x2c\x24",
	    9); /* push rdx; sub rsp, 8; mov [rsp], rbp */
	stack[0] = stack[1] = put_call(CALLER, 0x40, OLD);
	for (unsigned off = 0; off < 10; off++)
		ck_assert_int_eq(leave_stub(off), STACK_END_UNREADABLE);
}
END_TEST

/* Stubs of the C2 compiler do not say where their frame is complete. */
START_TEST(stub_of_c2)
{
	uint64_t ra = put_call(CALLER, 0x40, STUB);

	make_block(STUB, "_new_array_Java", 24, NEVER);
	put(code(STUB, 0), "\x48\x81\xec\x10\0\0\0\x48\x89\x6c\x24\x08",
	    12);                                              /* sub rsp, 16; mov [rsp + 8], rbp */
	put(code(STUB, 0x80), "\x48\x83\xc4\x08\x5d\xc3", 6); /* add rsp, 8; pop rbp; ret */
	stack[0] = ra;
	ck_caller(leave_stub(0), ra, STACK + 8);
	stack[0] = 0;
	stack[2] = ra;
	ck_caller(leave_stub(7), ra, STACK + 24);
	ck_assert_uint_eq(frame.fp_at, 0);
	ck_caller(leave_stub(0x20), ra, STACK + 24);
	ck_assert_uint_eq(frame.fp_at, STACK + 8);
	stack[1] = ra;
	stack[2] = 0;
	ck_caller(leave_stub(0x84), ra, STACK + 16);
	stack[0] = ra;
	ck_caller(leave_stub(0x85), ra, STACK + 8);
	/* The call is of other code. */
	stack[2] = put_call(CALLER, 0x60, OLD);
	ck_assert_int_eq(leave_stub(0x20), STACK_END_UNREADABLE);
}
END_TEST

/* Compiled methods return to HotSpot's code. A word that is none says that the frame is another
 * one. */
START_TEST(method_that_returns_elsewhere)
{
	uint64_t ra = put_call(OLD, 0x40, CALLER);

	stack[7] = ra;
	ck_caller(leave(code(CALLER, 0x40), STACK, false), ra, STACK + 64);
	ck_caller(leave(code(CALLER, 0x40), STACK, true), ra, STACK + 64);
	stack[7] = 0;
	ck_assert_int_eq(leave(code(CALLER, 0x40), STACK, false), STACK_END_UNREADABLE);
	ck_assert_int_eq(leave(code(CALLER, 0x40), STACK, true), STACK_END_UNREADABLE);
	stack[7] = STACK;
	ck_assert_int_eq(leave(code(CALLER, 0x40), STACK, false), STACK_END_UNREADABLE);
}
END_TEST

/* An adapter has made room for arguments of an interpreted method. The caller's sp is above. */
START_TEST(adapter)
{
	uint64_t ra = put_call(CALLER, 0x40, OLD);

	make_block(STUB, "I2C/C2I adapters", 0, NEVER);
	put(code(STUB, 8), "\x50", 1); /* push rax */
	stack[0] = stack[1] = ra;
	ck_caller(leave(code(STUB, 0), STACK + 8, true), ra, STACK + 16);
	ck_assert_int_eq(leave(code(STUB, 0), STACK, true), STACK_END_UNREADABLE);
	ck_assert_int_eq(leave(code(STUB, 8), STACK + 8, true), STACK_END_UNREADABLE);
}
END_TEST

/* A stub begins, and rbp still points to a frame that called stubs long ago. */
START_TEST(stub_without_a_frame_yet)
{
	uint64_t ra = put_call(CALLER, 0x40, STUB);

	make_block(STUB, "StubRoutines (1)", 0, NEVER);
	put(code(STUB, 0x20), "\x55\x48\x8b\xec", 4); /* push rbp; mov rbp, rsp */
	put(code(STUB, 0x40), "\xc3", 1);
	stack[0] = ra;
	stack[50] = STACK + 448;
	stack[51] = put_call(OLD, 0x40, STUB);
	ck_caller(leave_stub(0x20), ra, STACK + 8);
	ck_caller(leave_stub(0x40), ra, STACK + 8);
	stack[1] = ra;
	ck_caller(leave_stub(0x21), ra, STACK + 16);
	/* With a frame, rbp counts. */
	ck_caller(leave_stub(0x24), stack[51], STACK + 416);
}
END_TEST

/* Where the interpreter's frame is, and its caller's sp. */
#define RBP    (STACK + 400)
#define SENDER (RBP + 24)

/* Makes the interpreter, a method, and a frame of it at RBP. Returns its return address. */
static uint64_t begin_interpreter(void)
{
	uint64_t at = CONST_AT, ra = put_call(CALLER, 0x40, OLD);
	uint16_t size = NR_BYTES;

	make_block(INTERPRETER, "Interpreter", 0, NEVER);
	put(METHOD_AT + METHOD_CONST, &at, 8);
	put(CONST_AT + CONST_SIZE, &size, 2);
	stack[50] = STACK + 480;
	stack[51] = ra;
	stack[49] = SENDER;
	stack[47] = METHOD_AT;
	stack[42] = BYTECODE(5);
	return ra;
}

/* Walks from the interpreter at @off with @r13, where the frame at RBP has @words. */
static enum stack_end leave_interpreter(unsigned off, uint64_t r13, unsigned words)
{
	frame = (struct unwind_frame){
		.pc = code(INTERPRETER, off), .sp = RBP - 8 * words, .has_regs = 1};
	frame.regs[UNWIND_RSP] = frame.sp;
	frame.regs[UNWIND_RBP] = RBP;
	frame.regs[JAVA_BYTECODE] = r13;
	return leave_frame();
}

#define ck_interpreted(end, ra)                                                                    \
	do {                                                                                       \
		ck_caller(end, ra, SENDER);                                                        \
		ck_assert_uint_eq(frame.fp_at, RBP);                                               \
		ck_assert_uint_eq(scratch.method, METHOD_AT);                                      \
	} while (0)

START_TEST(bytecode)
{
	uint64_t ra = begin_interpreter();

	ck_interpreted(leave_interpreter(0x40, BYTECODE(0), 12), ra);
	ck_interpreted(leave_interpreter(0x40, BYTECODE(NR_BYTES), 12), ra);
	ck_assert_int_eq(leave_interpreter(0x40, BYTECODE(NR_BYTES + 1), 12), STACK_END_UNREADABLE);
	ck_assert_int_eq(leave_interpreter(0x40, BYTECODE(-1), 12), STACK_END_UNREADABLE);
	/* After a call of C code the register has the ConstMethod for one instruction. */
	ck_interpreted(leave_interpreter(0x40, CONST_AT, 12), ra);
}
END_TEST

/* The instructions with which version 25 prepares a call, from when r13 has the flags. */
static const unsigned char call_of_25[] =
	"\x0f\xb6\x51\x14\x0f\xb7\x49\x12\x48\x8b\x4c\xcc\xf8\x49\xba\x00\xc7\x5e\xe0\xc8"
	"\x7f\x00\x00\x49\x8b\x14\xd2\x52\x41\x8b\xd5\x4c\x8b\x6d\xc0";
static const unsigned char begins_of_25[] = {0, 4, 8, 13, 23, 27, 28, 31};
#define FLAGS 0xfc

START_TEST(flags_before_a_call)
{
	uint64_t ra = begin_interpreter();

	put(code(INTERPRETER, 0x40), call_of_25, sizeof(call_of_25) - 1);
	for (size_t i = 0; i < sizeof(begins_of_25); i++) {
		ck_interpreted(leave_interpreter(0x40 + begins_of_25[i], FLAGS, 12), ra);
		ck_assert_int_eq(i == 7,
				 leave_interpreter(0x40 + begins_of_25[i], FLAGS | 1ULL << 32,
						   12) == STACK_GOES_ON);
	}
	/* Other code does not keep the bytecode in the frame. */
	ck_assert_int_eq(leave_interpreter(0x80, FLAGS, 12), STACK_END_UNREADABLE);
	/* The word is no bytecode of this method. */
	stack[42] = BYTECODE(NR_BYTES + 1);
	ck_assert_int_eq(leave_interpreter(0x40, FLAGS, 12), STACK_END_UNREADABLE);
	/* Version 8 keeps it a word higher. */
	stack[43] = BYTECODE(0);
	put(code(INTERPRETER, 0x40 + sizeof(call_of_25) - 2), "\xc8", 1);
	ck_interpreted(leave_interpreter(0x40, FLAGS, 12), ra);
}
END_TEST

/* The instructions to which calls return, up to the one that takes the bytecode back. */
START_TEST(return_to_the_interpreter)
{
	static const unsigned char
		of_17[] = "\x48\x8b\x65\xf0\x48\xc7\x45\xf0\0\0\0\0\x4c\x8b\x6d\xc0",
		of_25[] = "\x48\x8b\x4d\xf0\x48\x8d\x64\xcd\x00\x48\xc7\x45\xf0\0\0\0\0"
			  "\x4c\x8b\x6d\xc0";
	static const unsigned char begins_17[] = {0, 4, 12}, begins_25[] = {0, 4, 9, 17};
	uint64_t ra = begin_interpreter();

	put(code(INTERPRETER, 0x40), of_17, sizeof(of_17) - 1);
	for (size_t i = 0; i < sizeof(begins_17); i++)
		ck_interpreted(leave_interpreter(0x40 + begins_17[i], STACK, 12), ra);
	put(code(INTERPRETER, 0x80), of_25, sizeof(of_25) - 1);
	for (size_t i = 0; i < sizeof(begins_25); i++)
		ck_interpreted(leave_interpreter(0x80 + begins_25[i], STACK, 12), ra);
	/* Version 8 keeps the bytecode a word higher. */
	put(code(INTERPRETER, 0x90), "\x4c\x8b\x6d\xc8", 4);
	ck_interpreted(leave_interpreter(0x90, STACK, 12), ra);
	put(code(INTERPRETER, 0x90), "\x4c\x8b\x6d\xd0", 4);
	ck_assert_int_eq(leave_interpreter(0x90, STACK, 12), STACK_END_UNREADABLE);
	ck_assert_int_eq(leave_interpreter(0xc0, STACK, 12), STACK_END_UNREADABLE);
}
END_TEST

/*
 * A method that has called itself returns. Its frame is gone, and its return address is still on
 * the stack. The register of the bytecode fits the frame of its caller, too.
 */
START_TEST(frame_that_is_left)
{
	static const char *const left[] = {
		"\xc9\x41\x5d",                           /* leave; pop r13 */
		"\xc9\x5a",                               /* leave; pop rdx */
		"\xc9\x41\xc6\x87\xbe\x03\0\0\0\x41\x5d", /* leave; movb [r15 + n], 0; pop r13 */
		"\xc9\x41\xc6\x87\xbe\x03\0\0\0\x5a",
	};
	static const unsigned char sizes[] = {3, 2, 11, 10}, pops[] = {0, 0, 8, 8};
	uint64_t ra;

	begin_interpreter();
	ra = code(INTERPRETER, 0x200);
	stack[50 - 12] = ra;
	for (size_t i = 0; i < 4; i++) {
		put(code(INTERPRETER, 0x3f), left[i], sizes[i]);
		for (unsigned off = 0; off <= pops[i]; off += 8) {
			ck_caller(leave_interpreter(0x40 + off, BYTECODE(5), 12), ra, RBP - 8 * 11);
			ck_assert_uint_eq(frame.fp_at, 0);
			ck_assert_uint_eq(scratch.method, 0);
		}
		/* At the instruction before it, the frame is there. */
		ck_interpreted(leave_interpreter(0x3f, BYTECODE(5), 12), stack[51]);
	}
	/* The same pop elsewhere says nothing. */
	put(code(INTERPRETER, 0x3f), "\x90\x41\x5d", 3);
	ck_interpreted(leave_interpreter(0x40, BYTECODE(5), 12), stack[51]);
}
END_TEST

/* A method begins: its frame is there, and the word of the method is not yet. */
static enum stack_end leave_begun(uint64_t r13, uint64_t rax, uint64_t rbx, unsigned words)
{
	frame = (struct unwind_frame){
		.pc = code(INTERPRETER, 0x40), .sp = RBP - 8 * words, .has_regs = 1};
	frame.regs[UNWIND_RSP] = frame.sp;
	frame.regs[UNWIND_RBP] = RBP;
	frame.regs[UNWIND_RAX] = rax;
	frame.regs[UNWIND_RBX] = rbx;
	frame.regs[JAVA_BYTECODE] = r13;
	return leave_frame();
}

START_TEST(frame_that_begins)
{
	uint64_t ra = begin_interpreter();

	stack[47] = 0;
	for (unsigned words = 1; words < 3; words++) {
		/* mov rax, [rbx + 8]; lea r13, [rax + 24]; mov rax, [rax + 8] */
		ck_interpreted(leave_begun(SENDER, CONST_AT, METHOD_AT, words), ra);
		ck_interpreted(leave_begun(BYTECODE(0), 0, METHOD_AT, words), ra);
		/* mov r13, [rbx + 8]; lea r13, [r13 + 24] */
		ck_interpreted(leave_begun(CONST_AT, 0, METHOD_AT, words), ra);
	}
	/* Something else is in a register, or rbp is further up. */
	ck_assert_int_eq(leave_begun(SENDER, CONST_AT + 8, METHOD_AT, 1), STACK_END_UNREADABLE);
	ck_assert_int_eq(leave_begun(SENDER + 8, CONST_AT, METHOD_AT, 1), STACK_END_UNREADABLE);
	ck_assert_int_eq(leave_begun(BYTECODE(1), 0, METHOD_AT, 1), STACK_END_UNREADABLE);
	ck_assert_int_eq(leave_begun(BYTECODE(0), 0, METHOD_AT + 8, 1), STACK_END_UNREADABLE);
	ck_assert_int_eq(leave_begun(BYTECODE(0), 0, METHOD_AT, 0), STACK_END_UNREADABLE);
	ck_assert_int_eq(leave_begun(BYTECODE(0), 0, METHOD_AT, 3), STACK_END_UNREADABLE);
}
END_TEST

/* The stub that looks whether code is valid has -1 above its frame. */
START_TEST(stub_that_looks_at_code)
{
	uint64_t ra = put_call(CALLER, 0x40, STUB);

	make_block(STUB, "StubRoutines (2)", 0, NEVER);
	stack[51] = ~0ULL;
	stack[52] = ra;
	ck_caller(leave(code(STUB, 0x40), STACK, false), ra, STACK + 424);
	ck_assert_uint_eq(frame.fp_at, STACK + 400);
	stack[52] = put_call(CALLER, 0x60, OLD);
	ck_assert_int_eq(leave(code(STUB, 0x40), STACK, false), STACK_END_UNREADABLE);
	stack[52] = STACK;
	ck_assert_int_eq(leave(code(STUB, 0x40), STACK, false), STACK_END_UNREADABLE);
	/* Other stubs have the return address there. */
	stack[51] = ra;
	ck_caller(leave(code(STUB, 0x40), STACK, false), ra, STACK + 416);
}
END_TEST

/* Leaves a stub that asks the processor, at @off, for C++ code. Returns how that ended. */
static enum stack_end leave_question(unsigned off, uint64_t ra, unsigned words)
{
	enum stack_end end = leave_stub(off);

	if (end != STACK_GOES_ON)
		return end;
	ck_caller(end, ra, STACK + 8 * (words + 1));
	ck_assert_uint_eq(frame.fp_at, STACK + 8 * (words - 1));
	ck_assert_uint_eq(frame.kept_at, STACK + 8 * (words - 2));
	ck_assert_uint_eq(frame.lost & (1u << UNWIND_RBX | 1u << UNWIND_RBP), 0);
	return end;
}

START_TEST(stubs_that_ask_the_processor)
{
	static const char *const names[] = {"VM_Version stub", "get_cpu_info_stub",
					    "getCPUIDBrandString_stub"};
	const uint64_t ra = STACK + 496;

	memcpy((char *)stack + 494, "\xff\xd0", 2); /* call rax */
	for (size_t i = 0; i < 3; i++) {
		make_block(STUB, names[i], 0, NEVER);
		put(code(STUB, 0x40), "\x0f\xa2\x50", 3); /* cpuid; push rax */
		stack[0] = 0x246;                         /* flags */
		stack[3] = 0;
		stack[4] = ra;
		ck_assert_int_eq(leave_question(0x40, ra, 4), STACK_GOES_ON);
		ck_assert_int_eq(leave_question(0x42, ra, 4), STACK_GOES_ON);
		ck_assert_int_eq(leave_question(0x43, ra, 4), STACK_END_UNREADABLE);
		ck_assert_int_eq(leave_question(0x3f, ra, 4), STACK_END_UNREADABLE);
		stack[0] = STACK;
		ck_assert_int_eq(leave_question(0x42, ra, 4), STACK_END_UNREADABLE);
		stack[0] = 0x244;
		ck_assert_int_eq(leave_question(0x42, ra, 4), STACK_END_UNREADABLE);
		stack[0] = 0x246;
		stack[4] = ra - 1;
		ck_assert_int_eq(leave_question(0x42, ra, 4), STACK_END_UNREADABLE);
	}
	/* push rbp; push rbx; push rsi; mov rax, rdi; mov rsi, rsi; cpuid */
	put(code(STUB, 0x80), "\x55\x53\x56\x48\x8b\xc7\x48\x8b\xf6\x0f\xa2\x89\x06", 13);
	stack[0] = STACK;
	stack[3] = stack[4] = ra;
	ck_assert_int_eq(leave_question(0x89, ra, 3), STACK_GOES_ON);
	ck_assert_int_eq(leave_question(0x8b, ra, 3), STACK_GOES_ON);
	stack[3] = 0;
	ck_assert_int_eq(leave_question(0x8b, ra, 3), STACK_END_UNREADABLE);
	/* Another stub without a frame has no such rule. */
	make_block(STUB, "flush_icache_stub", 0, NEVER);
	stack[0] = 0x246;
	ck_assert_int_eq(leave_stub(0x42), STACK_END_UNREADABLE);
}
END_TEST

SUITE_MAIN_WITH("java_leave_x86_64", begin, NULL, stub_that_looks_at_code,
		stubs_that_ask_the_processor, bytecode, flags_before_a_call,
		return_to_the_interpreter, frame_that_begins, frame_that_is_left, stop_in_a_method,
		stop_at_a_return, exception_in_a_method, stub_of_c2, method_that_returns_elsewhere,
		adapter, stub_without_a_frame_yet)
