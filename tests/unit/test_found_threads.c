// SPDX-License-Identifier: GPL-2.0-or-later
/* Copies of the stacks of waiting threads, out of the memory of the test itself. */
#include "record/unwind/found_threads.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf/host_arch.h"
#include "tests/unit/suite.h"

#define NR_WORDS   2048 /* of the stack */
#define SP_WORD    1024
#define TRAMPOLINE 0x7fffffffe000
#define CALLER     0x401000

/* Above PID_MAX_LIMIT: no process has this id. */
#define PID_GONE 5000001

static struct early_samples early;
static struct found_thread thread;

/* Nothing is mapped behind it. */
static uint64_t *stack;

static uint64_t address_of(size_t word)
{
	return (uintptr_t)&stack[word];
}

/* What the looker answers; NULL: what is there. */
static int (*play_answer)(struct look_answer *answer);

int __real_looker_ask(struct looker *looker, const struct look_question *q,
		      struct look_answer *answer);
int __wrap_looker_ask(struct looker *looker, const struct look_question *q,
		      struct look_answer *answer);

int __wrap_looker_ask(struct looker *looker, const struct look_question *q,
		      struct look_answer *answer)
{
	return play_answer ? play_answer(answer) : __real_looker_ask(looker, q, answer);
}

static void begin(void)
{
	const size_t bytes = NR_WORDS * sizeof(*stack);
	void *mapped =
		mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(mapped, MAP_FAILED);
	ck_assert_int_eq(munmap((char *)mapped + bytes, bytes), 0);
	stack = mapped;
	for (size_t i = 0; i < NR_WORDS; i++)
		stack[i] = i;
	early = (struct early_samples){0};
	thread = (struct found_thread){.key = {.tgid = getpid(), .user_stack = 5},
				       .time_ns = 7,
				       .space_id = 8,
				       .set = 1,
				       .regs = {[UNWIND_REG_SP] = address_of(SP_WORD)},
				       .trampoline = TRAMPOLINE};
}

static void end(void)
{
	early_samples_deinit(&early);
	munmap(stack, NR_WORDS * sizeof(*stack));
}

/* The sample of the thread, whose stack has the words up to its end. */
static const struct early_sample *add_thread(void)
{
	const struct early_sample *sample;

	ck_assert_int_eq(found_threads_add(NULL, &thread, &early), 0);
	sample = early.samples.data[early.samples.nr - 1].raw;
	ck_assert_mem_eq(&sample->key, &thread.key, sizeof(thread.key));
	ck_assert_mem_eq(sample->regs, thread.regs, sizeof(thread.regs));
	ck_assert_uint_eq(sample->time_ns, 7);
	ck_assert_uint_eq(sample->space_id, 8);
	ck_assert_uint_eq(sample->set, 1);
	return sample;
}

static uint64_t word_of(const struct early_sample *sample, size_t word)
{
	uint64_t value, off = address_of(word) - early_stack_begin(thread.regs[UNWIND_REG_SP]);

	ck_assert_uint_le(off + sizeof(value), sample->nr_bytes);
	memcpy(&value, sample->stack + off, sizeof(value));
	return value;
}

START_TEST(a_stack_up_to_its_end)
{
	const struct early_sample *sample;

	stack[NR_WORDS - 1] = TRAMPOLINE;
	sample = add_thread();
	ck_assert_uint_eq(sample->nr_bytes,
			  address_of(NR_WORDS) - early_stack_begin(address_of(SP_WORD)));
	ck_assert_uint_eq(word_of(sample, SP_WORD), SP_WORD);
	/* No call is known. */
	ck_assert_uint_eq(word_of(sample, NR_WORDS - 1), TRAMPOLINE);
	thread.key.tgid = PID_GONE;
	ck_assert_uint_eq(add_thread()->nr_bytes, 0);
}
END_TEST

/* uprobes have replaced return addresses. */
START_TEST(probed_calls)
{
	const size_t returns[] = {SP_WORD + 3, SP_WORD + 9, NR_WORDS - 1};
	const struct early_sample *sample;

	/* Without a word for the return address, a call's stack begins above it. */
	for (size_t i = 0; i < ARRAY_SIZE(returns); i++) {
		stack[returns[i]] = TRAMPOLINE;
		thread.calls[i] = (struct probed_call){.sp = address_of(returns[i] + !RETURN_BYTES),
						       .address = CALLER + i};
	}
	thread.nr_calls = 2;
	sample = add_thread();
	ck_assert_uint_eq(word_of(sample, SP_WORD + 3), CALLER);
	ck_assert_uint_eq(word_of(sample, SP_WORD + 4), SP_WORD + 4);
	ck_assert_uint_eq(word_of(sample, SP_WORD + 9), CALLER + 1);
	ck_assert_uint_eq(word_of(sample, NR_WORDS - 1), TRAMPOLINE);
	thread.nr_calls = 3;
	ck_assert_uint_eq(word_of(add_thread(), NR_WORDS - 1), CALLER + 2);
}
END_TEST

static int answer_late(struct look_answer *answer)
{
	answer->nr = 8;
	return -ETIMEDOUT;
}

static int answer_too_much(struct look_answer *answer)
{
	answer->nr = EARLY_STACK_BYTES + 1;
	return 0;
}

static int answer_most(struct look_answer *answer)
{
	answer->nr = EARLY_STACK_BYTES;
	return 0;
}

/* Without an answer that can be, there is no stack. */
START_TEST(answers_that_are_none)
{
	play_answer = answer_late;
	ck_assert_uint_eq(add_thread()->nr_bytes, 0);
	play_answer = answer_too_much;
	ck_assert_uint_eq(add_thread()->nr_bytes, 0);
	play_answer = answer_most;
	ck_assert_uint_eq(add_thread()->nr_bytes, EARLY_STACK_BYTES);
}
END_TEST

SUITE_MAIN_WITH("found_threads", begin, end, a_stack_up_to_its_end, probed_calls,
		answers_that_are_none)
