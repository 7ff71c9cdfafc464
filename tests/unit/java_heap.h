/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code and stacks of a HotSpot machine that tests make, and the walk of bpf/made/java_step.h over
 * them.
 */
#ifndef TESTS_UNIT_JAVA_HEAP_H
#define TESTS_UNIT_JAVA_HEAP_H

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

static inline long read_from(const void *memory, unsigned long long begin, unsigned long long bytes,
			     void *dst, unsigned size, unsigned long long addr)
{
	if (addr < begin || addr - begin > bytes - size)
		return -1;
	memcpy(dst, (const char *)memory + (addr - begin), size);
	return 0;
}

static inline long unwind_read(const struct unwind_frame *f, void *dst, unsigned size,
			       unsigned long long addr)
{
	(void)f;
	return read_from(heap, HEAP, sizeof(heap), dst, size, addr) &&
	       read_from(segments, MAP, sizeof(segments), dst, size, addr) &&
	       read_from(stack, STACK, sizeof(stack), dst, size, addr);
}

#include "bpf/made/java_step.h"
#include "tests/unit/suite.h"

/* A block: a header, the struct of the machine below with a name, and the code. */
enum { NAME = 0, FRAME = 8, COMPLETE = 12, CODE_BEGIN = 16, CODE_END = 24, METHOD = 32, TEXT = 64 };
#define HEADER  16
#define CODE_AT 256

enum { CALLER, STUB, OLD, INTERPRETER, DATA }; /* numbers of blocks */

/* A Method, and its ConstMethod with the bytecode. */
enum { METHOD_CONST = 8, CONST_SIZE = 16, CONST_BYTES = 24 };
#define METHOD_AT   (HEAP + DATA * BLOCK)
#define CONST_AT    (METHOD_AT + 0x100)
#define NR_BYTES    40 /* of bytecode */
#define BYTECODE(n) (CONST_AT + CONST_BYTES + (n))

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
	.interpreter_begin = HEAP + INTERPRETER * BLOCK + CODE_AT,
	.interpreter_size = BLOCK - CODE_AT,
	.method_const = METHOD_CONST,
	.const_code_size = CONST_SIZE,
	.const_bytes = CONST_BYTES,
};

#define NEVER                                                                                      \
	0xffffffff /* the offset at which a stub's frame is complete, where HotSpot does not say   \
		      it */

/* The place @off in the code of block @nr. */
static inline uint64_t code(unsigned nr, unsigned off)
{
	return HEAP + nr * BLOCK + CODE_AT + off;
}

static inline void put(uint64_t at, const void *bytes, size_t nr)
{
	memcpy(heap + (at - HEAP), bytes, nr);
}

static inline void make_block(unsigned nr, const char *name, uint32_t frame_bytes,
			      uint32_t complete)
{
	uint64_t at = HEAP + nr * BLOCK + HEADER, text = at + TEXT, begin = code(nr, 0),
		 end = HEAP + (nr + 1) * BLOCK;
	uint32_t words = (uint32_t)((int32_t)frame_bytes / 8);

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
#ifdef BPF_HOST_ARCH_X86_64_H
static inline uint64_t put_call(unsigned nr, unsigned off, unsigned target)
{
	uint64_t at = code(nr, off);
	int32_t distance = (int32_t)(code(target, 0) - at);

	put(at - 5, "\xe8", 1);
	put(at - 4, &distance, 4);
	return at;
}
#else
static inline uint64_t put_call(unsigned nr, unsigned off, unsigned target)
{
	uint64_t at = code(nr, off);
	uint32_t distance = (uint32_t)(code(target, 0) - (at - 4)) / 4;
	uint32_t bl = 0x94000000 | (distance & 0x3ffffff);

	put(at - 4, &bl, 4);
	return at;
}
#endif

static struct unwind_frame frame;

static inline void begin(void)
{
	memset(heap, 0x90, sizeof(heap));
	memset(segments, 0xff, sizeof(segments));
	memset(stack, 0, sizeof(stack));
	make_block(CALLER, "nmethod", 64, 16);
	make_block(OLD, "nmethod", 64, 16);
}

static struct java_scratch scratch;

/* Walks from the frame to its caller. */
static inline enum stack_end leave_frame(void)
{
	struct java_step j = {&frame, &machine, &scratch};

	scratch.name_at = 0;
	return java_look_at_frame(&j) ? java_leave_frame(&j) : STACK_END_UNREADABLE;
}

/* Walks from the leaf at @pc, or from a caller there, to its caller. */
static inline enum stack_end leave(uint64_t pc, uint64_t sp, bool is_leaf)
{
	frame = (struct unwind_frame){.pc = pc, .sp = sp, .has_regs = is_leaf};
	frame.regs[UNWIND_REG_SP] = sp;
	frame.regs[UNWIND_REG_FP] = STACK + 400;
	return leave_frame();
}

static inline enum stack_end leave_stub(unsigned off)
{
	return leave(code(STUB, off), STACK, true);
}

#define ck_caller(end, at, caller_sp)                                                              \
	do {                                                                                       \
		ck_assert_int_eq(end, STACK_GOES_ON);                                              \
		ck_assert_uint_eq(frame.pc, at);                                                   \
		ck_assert_uint_eq(frame.sp, caller_sp);                                            \
	} while (0)

#endif
