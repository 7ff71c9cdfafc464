// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames of HotSpot's code, at instructions at which a frame is not whole: bpf/java_step.h, with
 * code and stacks of the test's own. */
#include <string.h>

struct unwind_frame;

/* A heap of code of eight blocks, the map of its segments, and a stack. Nothing else is mapped. */
#define HEAP      0x7000000ULL
#define MAP       0x8000000ULL
#define STACK     0x9000000ULL
#define SEGMENT   128
#define BLOCK     4096
#define NR_BLOCKS 8

static unsigned char heap[NR_BLOCKS * BLOCK], segments[sizeof(heap) / SEGMENT];
static unsigned long long stack[64];

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
	return read_from(heap, HEAP, sizeof(heap), dst, size, addr) &&
	       read_from(segments, MAP, sizeof(segments), dst, size, addr) &&
	       read_from(stack, STACK, sizeof(stack), dst, size, addr);
}

#include "bpf/java_step.h"
#include "tests/unit/suite.h"

/* A block: a header, the struct of the machine below with a name, and the code. */
enum { NAME = 0, FRAME = 8, COMPLETE = 12, CODE_BEGIN = 16, CODE_END = 24, METHOD = 32, TEXT = 64 };
#define HEADER  16
#define CODE_AT 256

static const struct java_machine machine = {
	.heaps = {{.low = HEAP, .high = HEAP + sizeof(heap), .map = MAP, .shift = 7}},
	.low = HEAP,
	.high = HEAP + sizeof(heap),
	.block_header = HEADER,
	.blob_name = NAME,
	.blob_frame_size = FRAME,
	.blob_complete = COMPLETE,
	.complete_bytes = 4,
	.blob_code_begin = CODE_BEGIN,
	.blob_code_end = CODE_END,
	.blob_method = METHOD,
};

enum { CALLER, STUB, OLD }; /* numbers of blocks */
#define NEVER                                                                                      \
	0xffffffff /* the offset at which a stub's frame is complete, where HotSpot does not say   \
		      it */

/* The place @off in the code of block @nr. */
static uint64_t code(unsigned nr, unsigned off)
{
	return HEAP + nr * BLOCK + CODE_AT + off;
}

static void put(uint64_t at, const void *bytes, size_t nr)
{
	memcpy(heap + (at - HEAP), bytes, nr);
}

static void make_block(unsigned nr, const char *name, uint32_t frame_bytes, uint32_t complete)
{
	uint64_t at = HEAP + nr * BLOCK + HEADER, text = at + TEXT, begin = code(nr, 0),
		 end = HEAP + (nr + 1) * BLOCK;
	uint32_t words = frame_bytes / 8;

	for (unsigned i = 0; i < BLOCK / SEGMENT; i++)
		segments[nr * (BLOCK / SEGMENT) + i] = i;
	put(text, name, strlen(name) + 1);
	put(at + NAME, &text, 8);
	put(at + FRAME, &words, 4);
	put(at + COMPLETE, &complete, 4);
	put(at + CODE_BEGIN, &begin, 8);
	put(at + CODE_END, &end, 8);
}

/* Puts a call of block @target before the place @off of block @nr. Returns that place. */
static uint64_t put_call(unsigned nr, unsigned off, unsigned target)
{
	uint64_t at = code(nr, off);
	int32_t distance = (int32_t)(code(target, 0) - at);

	put(at - 5, "\xe8", 1);
	put(at - 4, &distance, 4);
	return at;
}

static struct unwind_frame frame;

static void begin(void)
{
	memset(heap, 0x90, sizeof(heap));
	memset(segments, 0xff, sizeof(segments));
	memset(stack, 0, sizeof(stack));
	make_block(CALLER, "nmethod", 64, 16);
	make_block(OLD, "nmethod", 64, 16);
}

/* Walks from the leaf at @pc, or from a caller there, to its caller. */
static enum stack_end leave(uint64_t pc, uint64_t sp, bool is_leaf)
{
	struct java_scratch scratch = {.block = 0};
	struct java_step j = {&frame, &machine, &scratch};

	frame = (struct unwind_frame){.pc = pc, .sp = sp, .has_regs = is_leaf};
	frame.regs[UNWIND_RSP] = sp;
	frame.regs[UNWIND_RBP] = STACK + 400;
	return java_look_at_frame(&j) ? java_leave_frame(&j) : STACK_END_UNREADABLE;
}

static enum stack_end leave_stub(unsigned off)
{
	return leave(code(STUB, off), STACK, true);
}

#define ck_caller(end, at, caller_sp)                                                              \
	do {                                                                                       \
		ck_assert_int_eq(end, STACK_GOES_ON);                                              \
		ck_assert_uint_eq(frame.pc, at);                                                   \
		ck_assert_uint_eq(frame.sp, caller_sp);                                            \
	} while (0)

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
	ck_assert_uint_eq(frame.rbp_at, 0);
	ck_caller(leave_stub(0x20), ra, STACK + 24);
	ck_assert_uint_eq(frame.rbp_at, STACK + 8);
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

SUITE_MAIN_WITH("java_step", begin, NULL, stop_in_a_method, stop_at_a_return, exception_in_a_method,
		stub_of_c2, method_that_returns_elsewhere, adapter, stub_without_a_frame_yet)
