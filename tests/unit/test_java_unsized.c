// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames of HotSpot's stubs for which it gives no size: bpf/made/java_unsized.h. */
#include "tests/unit/java_heap.h"

#define NO_SIZE (-8U) /* in bytes */

/* The stub of version 25 that checks a class, without the check itself. */
static const unsigned char check_of_25[] =
	"\x57\x56\x51\x50\x48\x8b\x74\x24\x30\x48\x8b\x44\x24\x28\x48\x83\xec\x20\x48\x89\x14\x24"
	"\x48\x8d\x64\x24\x20\x48\xc7\xc7\x01\0\0\0\x0f\x85\x0e\0\0\0"
	"\x48\xc7\x44\x24\x30\x01\0\0\0\x58\x59\x5e\x5f\xc3";

/* The offset of an instruction in it, and the words that are pushed there. */
static const struct {
	unsigned off, words;
} places_of_25[] = {{0, 0},  {1, 1},  {2, 2},  {3, 3},  {4, 4},  {9, 4},  {14, 4}, {18, 8}, {22, 8},
		    {27, 4}, {34, 4}, {40, 4}, {49, 4}, {50, 3}, {51, 2}, {52, 1}, {53, 0}};

/* In version 21 the check follows, without room for further registers. */
static const unsigned char check_of_21[] =
	"\x57\x56\x51\x50\x48\x8b\x74\x24\x30\x48\x8b\x44\x24\x28\x48\x8b\x7e\x28\x8b\x0f"
	"\x0f\x85\x12\0\0\0\x48\x89\x46\x20\x48\xc7\x44\x24\x30\x01\0\0\0\x58\x59\x5e\x5f\xc3";

/* Puts @code_after behind the call of the stub in the caller. Returns the place. */
static uint64_t put_check_call(const void *code_after, size_t nr)
{
	uint64_t ra = put_call(CALLER, 0x40, STUB);

	put(ra, code_after, nr);
	return ra;
}

/* Walks from the leaf at @off, where the return address stands above @words. */
static enum stack_end leave_check(unsigned off, unsigned words, uint64_t ra)
{
	memset(stack, 0, sizeof(stack));
	stack[words] = ra;
	return leave_stub(off);
}

#define POPS "\x41\x59\x5e\x85\xf6" /* pop r9; pop rsi; test esi, esi */

START_TEST(check_of_a_class)
{
	uint64_t ra = put_check_call(POPS "\x0f\x84\0\0\0\0", 11);

	make_block(STUB, "C1 Runtime slow_subtype_check_blob", NO_SIZE, NEVER);
	put(code(STUB, 0), check_of_25, sizeof(check_of_25) - 1);
	for (size_t i = 0; i < sizeof(places_of_25) / sizeof(places_of_25[0]); i++) {
		unsigned off = places_of_25[i].off, words = places_of_25[i].words;

		ck_caller(leave_check(off, words, ra), ra, STACK + 8 * (words + 3));
		ck_assert_uint_eq(frame.fp_at, 0);
		/* The word does not come from a call of this stub. */
		ck_assert_int_eq(leave_check(off, words, code(CALLER, 0x60)), STACK_END_UNREADABLE);
		ck_assert_int_eq(leave_check(off, words + 1, ra), STACK_END_UNREADABLE);
	}
	put(code(STUB, 0), check_of_21, sizeof(check_of_21) - 1);
	ck_caller(leave_check(14, 4, ra), ra, STACK + 56);
	ck_caller(leave_check(18, 4, ra), ra, STACK + 56);
	ck_caller(leave_check(20, 4, ra), ra, STACK + 56);
	ck_caller(leave_check(42, 1, ra), ra, STACK + 32);
}
END_TEST

/* The caller pushes words for the check, and takes them back after it. */
START_TEST(caller_of_the_check)
{
	uint64_t ra = put_check_call(POPS "\x0f\x85\0\0\0\0\x59\x5e", 13);

	make_block(STUB, "slow_subtype_check Runtime1 stub", NO_SIZE, NEVER);
	put(code(STUB, 0), check_of_21, sizeof(check_of_21) - 1);
	ck_caller(leave_check(4, 4, ra), ra, STACK + 72);
	put(ra, POPS "\x0f\x85\0\0\0\0\x59\x90", 13);
	ck_caller(leave_check(4, 4, ra), ra, STACK + 56);
	put(ra, "\x41\x59\x41\x58\x45\x85\xc0\x0f\x85\0\0\0\0\x41\x5a\x5e", 16);
	ck_caller(leave_check(4, 4, ra), ra, STACK + 72);
	put(ra, "\x41\x59\x90", 3);
	ck_assert_int_eq(leave_check(4, 4, ra), STACK_END_UNREADABLE);
	/* A frame that waits for a call is none of this stub. */
	ck_assert_int_eq(leave(code(STUB, 4), STACK, false), STACK_END_UNREADABLE);
}
END_TEST

/* The barrier of G1 after a store has a frame of rbp, and calls C++ code. */
START_TEST(barrier)
{
	uint64_t ra = put_call(CALLER, 0x40, STUB);

	make_block(STUB, "g1_post_barrier_slow", NO_SIZE, NEVER);
	put(code(STUB, 0), "\x55\x48\x8b\xec\x50\x51", 6); /* push rbp; mov rbp, rsp; push rax */
	put(code(STUB, 0x80), "\xc9\xc3", 2);              /* leave; ret */
	stack[0] = ra;
	ck_caller(leave_stub(0), ra, STACK + 8);
	ck_assert_uint_eq(frame.fp_at, 0);
	ck_caller(leave_stub(0x81), ra, STACK + 8);
	ck_assert_int_eq(leave_stub(4), STACK_END_UNREADABLE);
	stack[0] = 0;
	stack[1] = ra;
	ck_caller(leave_stub(1), ra, STACK + 16);
	ck_assert_uint_eq(frame.fp_at, STACK);
	stack[51] = ra;
	for (unsigned is_leaf = 0; is_leaf < 2; is_leaf++) {
		ck_caller(leave(code(STUB, 0x40), STACK, is_leaf), ra, STACK + 416);
		ck_assert_uint_eq(frame.fp_at, STACK + 400);
	}
	ck_caller(leave_stub(0x80), ra, STACK + 416);
	stack[51] = put_call(CALLER, 0x60, OLD);
	ck_assert_int_eq(leave_stub(0x40), STACK_END_UNREADABLE);
	ck_assert_int_eq(leave(code(STUB, 0x40), STACK, false), STACK_END_UNREADABLE);
}
END_TEST

/* A method has left its frame, and passes an exception on to the method that called it. */
START_TEST(exception_of_a_callee)
{
	static const unsigned char passes_on[] =
		"\x4c\x8b\xf0\x48\x8b\x14\x24\x48\x8b\xf2\x48\x83\xec\x08\xe8\0\0\0\0"
		"\x48\x83\xc4\x08\xe9\x05\0\0\0\xe8\0\0\0\0\x48\x8b\xd8\x49\x8b\xc6\x5a\xff\xe3";
	static const struct {
		unsigned off, words;
	} places[] = {{0, 0},  {3, 0},  {7, 0},  {10, 0}, {14, 1}, {19, 1},
		      {23, 0}, {28, 0}, {33, 0}, {36, 0}, {39, 0}};
	uint64_t ra = put_call(CALLER, 0x40, OLD);

	make_block(STUB, "C1 Runtime unwind_exception_blob", NO_SIZE, NEVER);
	put(code(STUB, 0), passes_on, sizeof(passes_on) - 1);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		ck_caller(leave_check(places[i].off, places[i].words, ra), ra,
			  STACK + 8 * (places[i].words + 1));
	/* rdx has the address at the last jump. */
	ck_assert_int_eq(leave_check(40, 0, ra), STACK_END_UNREADABLE);
	/* The stub waits for C++ code. */
	stack[1] = ra;
	ck_caller(leave(code(STUB, 19), STACK, false), ra, STACK + 16);
	stack[1] = 0;
	stack[0] = ra;
	ck_caller(leave(code(STUB, 33), STACK, false), ra, STACK + 8);
	stack[0] = code(CALLER, 0x60);
	ck_assert_int_eq(leave(code(STUB, 33), STACK, false), STACK_END_UNREADABLE);
	/* In version 8 another instruction comes first. */
	put(code(STUB, 0), "\x0f\x77", 2);
	put(code(STUB, 2), passes_on, sizeof(passes_on) - 1);
	ck_caller(leave_check(2, 0, ra), ra, STACK + 8);
	ck_caller(leave_check(21, 1, ra), ra, STACK + 16);
}
END_TEST

START_TEST(other_stub)
{
	make_block(STUB, "C1 Runtime is_instance_of_blob", NO_SIZE, NEVER);
	stack[0] = put_call(CALLER, 0x40, STUB);
	ck_assert_int_eq(leave_stub(0), STACK_END_UNREADABLE);
	ck_assert_int_eq(leave_stub(4), STACK_END_UNREADABLE);
}
END_TEST

SUITE_MAIN_WITH("java_unsized", begin, NULL, check_of_a_class, caller_of_the_check, barrier,
		exception_of_a_callee, other_stub)
