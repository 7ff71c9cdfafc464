// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames of HotSpot's code in the copy of a stack. The process is the test itself, which has the
 * heap of java_heap.h where its addresses say. What the looker answers may be the test's (--wrap).
 */
#include "record/machines/java_stretch.h"

#include <errno.h>
#include <sys/mman.h>

#include "tests/unit/java_heap.h"

/* The copy begins with the page of SP, unless its red zone is in the page before. */
#define PAGE       ((uint64_t)EARLY_PAGE_BYTES)
#define COPY       (STACK + 16 * PAGE)
#define SP         (COPY + 0x100)
#define NR_STACK   (64 * PAGE + UNWIND_MAX_FRAME) /* bytes of the process's own stack */
#define FRAME_SIZE 64
#define PART       6144 /* bytes of the stack in a question */

enum { LARGE = 5, NATIVE = 6 }; /* more blocks */
#define LARGE_FRAME 1024

#define POOL_AT    0x47110
#define NAME_NR    7
#define COMPILE_ID 77
#define ID_OFF     200 /* of the number in compiled code */
#define NATIVE_PC  0x401000

static struct early_sample sample;
static struct machine described;
static struct java_stretch stretch;

/* What the looker does; NULL: it works. */
static int (*play_answer)(struct look_answer *answer);

int __real_looker_ask(struct looker *looker, const struct look_question *q,
		      struct look_answer *answer);
int __wrap_looker_ask(struct looker *looker, const struct look_question *q,
		      struct look_answer *answer);

int __wrap_looker_ask(struct looker *looker, const struct look_question *q,
		      struct look_answer *answer)
{
	struct look_question cut = *q;
	int ret = __real_looker_ask(looker, q, answer);

	ck_assert_uint_eq(q->pid, described.pid);
	if (!play_answer)
		return ret;
	cut.nr--;
	ck_assert_int_eq(__real_looker_ask(looker, &cut, &(struct look_answer){0}), -EBADMSG);
	return play_answer(answer);
}

static void copy_to(uint64_t at, const void *bytes, size_t nr, size_t nr_mapped)
{
	void *to = mmap((void *)(uintptr_t)at, nr_mapped, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	ck_assert_uint_eq((uintptr_t)to, at);
	memcpy(to, bytes, nr);
}

/* A block of a method, which has a number. */
static void make_method(unsigned nr, const char *name, uint32_t frame_bytes)
{
	const uint64_t at = HEAP + nr * BLOCK + HEADER, method = METHOD_AT;
	const uint32_t id = COMPILE_ID + nr;

	make_block(nr, name, frame_bytes, 16);
	put(at + METHOD, &method, 8);
	put(at + ID_OFF, &id, 4);
}

static void begin_walk(void)
{
	const uint64_t parts = CONST_AT, pool = POOL_AT;
	const uint16_t name = NAME_NR;

	begin();
	make_method(CALLER, "nmethod", FRAME_SIZE);
	make_method(OLD, "nmethod", FRAME_SIZE);
	make_method(LARGE, "nmethod", LARGE_FRAME);
	make_method(NATIVE, "native nmethod", FRAME_SIZE);
	make_block(STUB, "StubRoutines (1)", 0, NEVER);
	make_block(DATA, "data", 0, NEVER);
	put(METHOD_AT + METHOD_CONST, &parts, 8);
	put(CONST_AT, &pool, 8);
	put(CONST_AT + 8, &name, 2);
	copy_to(HEAP, heap, sizeof(heap), sizeof(heap));
	copy_to(MAP, segments, sizeof(segments), PAGE);
	copy_to(STACK, "", 0, NR_STACK);
	described = (struct machine){.pid = getpid(), .java.machine = machine};
	described.java.machine.const_pool = 0;
	described.java.machine.const_name = 8;
	described.java.machine.interpreter_size = 0;
	sample = (struct early_sample){.nr_bytes = 8 * PAGE};
	sample.regs[UNWIND_REG_SP] = SP;
}

static void end_walk(void)
{
	munmap((void *)HEAP, sizeof(heap));
	munmap((void *)MAP, PAGE);
	munmap((void *)STACK, NR_STACK);
}

/* Puts a word into the copy, whose first byte is at @begin of the stack. */
static void put_word(uint64_t begin, uint64_t at, uint64_t word)
{
	ck_assert_uint_le(at + 8 - begin, sizeof(sample.stack));
	memcpy(sample.stack + (at - begin), &word, 8);
}

/* Puts the return addresses of @nr frames of @frame_bytes, all in block @block. */
static void put_frames(uint64_t begin, uint64_t sp, size_t nr, uint32_t frame_bytes, unsigned block)
{
	for (size_t i = 1; i <= nr; i++)
		put_word(begin, sp + i * frame_bytes - 8, code(block, 0x40));
}

static int walk_from(uint64_t pc, uint64_t sp)
{
	frame = (struct unwind_frame){.pc = pc, .sp = sp};
	return java_stretch_walk(NULL, &described, &sample, &frame, &stretch);
}

static void walk(uint64_t pc, uint64_t sp)
{
	ck_assert_int_eq(walk_from(pc, sp), 1);
}

static uint64_t word_of_method(void)
{
	return LANGUAGE_WORD(LANGUAGE_JAVA, java_method_check(CONST_AT, POOL_AT, NAME_NR),
			     METHOD_AT);
}

/* A method that was called by another one, which was called by a stub, and that by C++. */
static void put_stack(unsigned block)
{
	const uint64_t fp = SP + 0x180;

	put_word(COPY, SP + FRAME_SIZE - 8, code(block, 0x40));
	put_word(COPY, SP + 2 * FRAME_SIZE - 16, fp);
	put_word(COPY, SP + 2 * FRAME_SIZE - 8, code(STUB, 0x20));
	put_word(COPY, fp + 8, NATIVE_PC);
}

START_TEST(frames_up_to_other_code)
{
	put_stack(OLD);
	walk(code(CALLER, 0x40), SP);
	ck_assert_int_eq(stretch.end, STACK_GOES_ON);
	ck_assert_uint_eq(stretch.nr, 3);
	ck_assert_uint_eq(stretch.frames[0].address, word_of_method());
	ck_assert_uint_eq(stretch.frames[1].address, word_of_method());
	ck_assert_uint_eq(stretch.frames[2].address, code(STUB, 0x20));
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(stretch.frames[i].block, 0);
		ck_assert_uint_eq(stretch.frames[i].compile_id, 0);
	}
	ck_assert_uint_eq(frame.pc, NATIVE_PC);
	ck_assert_uint_eq(frame.sp, SP + 0x190);
	ck_assert_int_eq(walk_from(NATIVE_PC, SP), 0);
}
END_TEST

/* Where compiled code has a number, words are of the place. Other code has those of methods. */
START_TEST(places_in_compiled_code)
{
	const uint64_t block = HEAP + CALLER * BLOCK + HEADER;

	described.java.machine.blob_compile_id = ID_OFF;
	put_stack(NATIVE);
	walk(code(CALLER, 0x40), SP);
	ck_assert_uint_eq(stretch.nr, 3);
	ck_assert_uint_eq(stretch.frames[0].address,
			  LANGUAGE_WORD(LANGUAGE_JAVA, java_place_check(block, COMPILE_ID + CALLER),
					code(CALLER, 0x40)));
	ck_assert_uint_eq(stretch.frames[0].block, block);
	ck_assert_uint_eq(stretch.frames[0].compile_id, COMPILE_ID + CALLER);
	ck_assert_uint_eq(stretch.frames[1].address, word_of_method());
	ck_assert_uint_eq(stretch.frames[1].block, 0);
	ck_assert_uint_eq(stretch.frames[2].address, code(STUB, 0x20));
	/* The number, or the method, cannot be read: the address remains. */
	described.java.machine.blob_compile_id = UINT16_MAX - 7;
	described.java.machine.const_pool = 0;
	described.java.machine.method_const = 255;
	walk(code(CALLER, 0x40), SP);
	ck_assert_uint_eq(stretch.nr, 3);
	ck_assert_uint_eq(stretch.frames[0].address, code(CALLER, 0x40));
	ck_assert_uint_eq(stretch.frames[1].address, code(NATIVE, 0x40));
}
END_TEST

/* A stretch has so many frames at most, and the next one goes on. */
START_TEST(stretches_that_are_full)
{
	put_frames(COPY, SP, JAVA_STRETCH_MAX + 2, FRAME_SIZE, CALLER);
	put_word(COPY, SP + (JAVA_STRETCH_MAX + 3) * FRAME_SIZE - 8, NATIVE_PC);
	walk(code(OLD, 0x40), SP);
	ck_assert_int_eq(stretch.end, STACK_GOES_ON);
	ck_assert_uint_eq(stretch.nr, JAVA_STRETCH_MAX);
	ck_assert_uint_eq(frame.sp, SP + JAVA_STRETCH_MAX * FRAME_SIZE);
	/* A method that returns elsewhere than into HotSpot's code is none. */
	walk(frame.pc, frame.sp);
	ck_assert_int_eq(stretch.end, STACK_END_UNREADABLE);
	ck_assert_uint_eq(stretch.nr, 3);
}
END_TEST

/* Where the part in the question ends, another question begins with the frame at hand. */
START_TEST(stacks_that_are_longer_than_a_part)
{
	const uint32_t nr = (PART - RED_ZONE_BYTES) / LARGE_FRAME;

	put_frames(COPY, SP, 3 * nr, LARGE_FRAME, LARGE);
	for (uint32_t i = 1; i <= 2; i++) {
		walk(code(LARGE, 0x40), SP + (i - 1) * nr * LARGE_FRAME);
		ck_assert_int_eq(stretch.end, STACK_GOES_ON);
		ck_assert_uint_eq(stretch.nr, nr);
		ck_assert_uint_eq(frame.pc, code(LARGE, 0x40));
		ck_assert_uint_eq(frame.sp, SP + i * nr * LARGE_FRAME);
	}
}
END_TEST

/* The process has changed its stack meanwhile. */
static void change_stack(uint64_t at, uint64_t word)
{
	memcpy((void *)(uintptr_t)at, &word, 8);
}

/*
 * The copy ends where the stack does, and memory around it is the process's. But a copy of all that
 * is taken at most may lack a part of the stack, which has changed meanwhile.
 */
START_TEST(memory_around_the_copy)
{
	static const struct {
		uint64_t nr_pages, absent;
		int64_t ra; /* where the return address is, from the copy's end */
		bool is_read;
	} cases[] = {
		{2, 0, -8, true},
		{2, 0, 0, true},
		{2, 0, 8, true},
		{8, 0, -8, true},
		{8, 0, 0, false},
		{8, 0, UNWIND_MAX_FRAME - 8, false},
		{8, 0, UNWIND_MAX_FRAME, true},
		{9, 0, 0, true},
		{15, 0, 8, true},
		{16, 0, UNWIND_MAX_FRAME - 8, false},
		{4, UINT64_C(0x0fffffff) << 3, 0, false},
		{4, UINT64_C(0x07ffffff) << 3, 0, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t nr = cases[i].nr_pages + __builtin_popcountll(cases[i].absent);
		uint64_t ra = COPY + nr * PAGE + cases[i].ra;
		bool is_in_copy = cases[i].ra < 0;

		sample.nr_bytes = cases[i].nr_pages * PAGE;
		sample.absent = cases[i].absent;
		memset(sample.stack, 0, sizeof(sample.stack));
		/* A method's caller has to be HotSpot's code. */
		change_stack(ra, is_in_copy ? NATIVE_PC : code(STUB, 0x20));
		if (is_in_copy)
			put_word(COPY, ra, code(STUB, 0x20));
		walk(code(CALLER, 0x40), ra + 8 - FRAME_SIZE);
		ck_assert_msg((frame.sp == ra + 8) == cases[i].is_read, "%zu", i);
		change_stack(ra, 0);
	}
	/* Below the copy. */
	change_stack(COPY - 8, code(STUB, 0x20));
	walk(code(CALLER, 0x40), COPY - FRAME_SIZE);
	ck_assert_uint_eq(stretch.nr, 2);
}
END_TEST

/* What one question lacks, the next one may have. */
START_TEST(a_walk_after_one_without_a_stack)
{
	sample.absent = 3;
	walk(code(CALLER, 0x40), SP);
	ck_assert_int_eq(stretch.end, STACK_END_UNREADABLE);
	ck_assert_uint_eq(stretch.nr, 1);
	sample.absent = 0;
	put_stack(OLD);
	walk(code(CALLER, 0x40), SP);
	ck_assert_uint_eq(stretch.nr, 3);
}
END_TEST

/* The page of the red zone was never used, and is not in the copy. */
START_TEST(a_red_zone_without_memory)
{
	const uint64_t begin = COPY + PAGE, sp = begin + 16;

	if (!RED_ZONE_BYTES)
		SKIP_TEST("there is none");
	sample.regs[UNWIND_REG_SP] = sp;
	sample.absent = 1;
	put_frames(begin, sp, 2, FRAME_SIZE, OLD);
	walk(code(CALLER, 0x40), sp);
	ck_assert_uint_eq(stretch.nr, 3);
	/* Nor is that of sp. */
	sample.absent = 3;
	walk(code(CALLER, 0x40), sp);
	ck_assert_uint_eq(stretch.nr, 1);
	ck_assert_int_eq(stretch.end, STACK_END_UNREADABLE);
}
END_TEST

static int give_up(struct look_answer *answer)
{
	(void)answer;
	return -ETIMEDOUT;
}

static int cut_answer(struct look_answer *answer)
{
	answer->nr--;
	return 0;
}

/* The answer ends with the stretch, whose number of frames follows its end. */
static void change_nr(struct look_answer *answer, uint32_t nr)
{
	memcpy(answer->bytes + answer->nr - sizeof(stretch) + offsetof(struct java_stretch, nr),
	       &nr, sizeof(nr));
}

static int answer_none(struct look_answer *answer)
{
	change_nr(answer, 0);
	return 0;
}

static int answer_too_many(struct look_answer *answer)
{
	change_nr(answer, JAVA_STRETCH_MAX + 1);
	return 0;
}

static int answer_most(struct look_answer *answer)
{
	change_nr(answer, JAVA_STRETCH_MAX);
	return 0;
}

/* Without an answer, the stack ends with the frame at hand. */
START_TEST(answers_that_are_none)
{
	int (*const plays[])(struct look_answer *) = {give_up, cut_answer, answer_none,
						      answer_too_many};

	put_stack(OLD);
	for (size_t i = 0; i < ARRAY_SIZE(plays); i++) {
		play_answer = plays[i];
		walk(code(CALLER, 0x40), SP);
		ck_assert_int_eq(stretch.end, STACK_END_UNREADABLE);
		ck_assert_uint_eq(stretch.nr, 1);
		ck_assert_uint_eq(stretch.frames[0].address, code(CALLER, 0x40));
		ck_assert_uint_eq(frame.pc, code(CALLER, 0x40));
	}
	play_answer = answer_most;
	walk(code(CALLER, 0x40), SP);
	ck_assert_uint_eq(stretch.nr, JAVA_STRETCH_MAX);
	ck_assert_uint_eq(frame.pc, NATIVE_PC);
}
END_TEST

SUITE_MAIN_WITH("java_stretch", begin_walk, end_walk, frames_up_to_other_code,
		places_in_compiled_code, stretches_that_are_full,
		stacks_that_are_longer_than_a_part, memory_around_the_copy,
		a_walk_after_one_without_a_stack, a_red_zone_without_memory, answers_that_are_none)
