// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/early_samples.h"

#include <errno.h>

#include "tests/unit/suite.h"

#define SP     0x7ffd00001f00 /* the stack goes over a page's border */
#define PC     0x401000
#define CALLER 0x402000
#define ROOT   0x403000
#define DEPTH  8

/* What there is to know of the process: how find answers, and how often it was asked. */
struct process {
	int answer;
	uint64_t pages;
	unsigned int nr_asked;
	unsigned int nr_mapped; /* after so many nothing is; 0: all are */
};

static int find(void *ctx, const struct early_sample *sample, uint64_t pc,
		struct unwind_mapping *mapping)
{
	struct process *process = ctx;

	ck_assert_uint_eq(sample->regs[UNWIND_RSP], SP);
	if (process->nr_asked++ >= process->nr_mapped && process->nr_mapped)
		return 0;
	*mapping = (struct unwind_mapping){.start = pc, .end = pc + 1, .pages = process->pages};
	return process->answer;
}

static void put(struct early_sample *sample, uint64_t addr, uint64_t value)
{
	uint64_t off = addr - early_stack_begin(SP);

	ck_assert_uint_le(off + sizeof(value), sizeof(sample->stack));
	memcpy(sample->stack + off, &value, sizeof(value));
}

/* A leaf, its caller and the root, each with a frame pointer. */
static struct early_sample *make_sample(uint32_t set)
{
	static struct early_sample sample;

	sample = (struct early_sample){
		.key = {.tgid = 42, .comm = "app"},
		.time_ns = 7,
		.set = set,
		.nr_bytes = EARLY_STACK_BYTES,
		.regs = {[UNWIND_RIP] = PC, [UNWIND_RSP] = SP, [UNWIND_RBP] = SP + 0x80},
	};
	put(&sample, SP + 0x80, SP + 0x180);
	put(&sample, SP + 0x88, CALLER);
	put(&sample, SP + 0x180, 0);
	put(&sample, SP + 0x188, ROOT);
	return &sample;
}

static void walk(struct early_samples *early, struct process *process, bool is_last)
{
	struct table_maps store = {0};

	ck_assert_int_eq(early_samples_walk(early, &store, find, process, is_last), 0);
}

START_TEST(walked_when_enough_is_known)
{
	struct early_samples early = {.max_depth = DEPTH};
	struct process process = {.answer = -EAGAIN};

	ck_assert_int_eq(early_samples_add(&early, make_sample(0)), 0);
	ck_assert_uint_eq(early.nr_raw, 1);
	walk(&early, &process, false);
	ck_assert_uint_eq(early.nr_raw, 1);
	process = (struct process){.answer = 1, .pages = UNWIND_TABLE_ASKED_FOR};
	walk(&early, &process, false);
	ck_assert_uint_eq(early.nr_raw, 1);
	process.pages = UNWIND_WITHOUT_TABLE;
	walk(&early, &process, false);
	ck_assert_uint_eq(early.nr_raw, 0);
	ck_assert_uint_eq(early.samples.nr, 1);
	ck_assert_uint_eq(early.samples.data[0].nr_frames, 3);
	ck_assert_uint_eq(early.samples.data[0].frames[0], PC);
	ck_assert_uint_eq(early.samples.data[0].frames[1], CALLER);
	ck_assert_uint_eq(early.samples.data[0].frames[2], ROOT);
	ck_assert_int_eq(early.samples.data[0].end, STACK_END_ROOT);
	ck_assert_uint_eq(early.samples.data[0].key.tgid, 42);
	ck_assert_uint_eq(early.samples.data[0].time_ns, 7);
	/* It is not walked again. */
	process.nr_asked = 0;
	walk(&early, &process, true);
	ck_assert_uint_eq(process.nr_asked, 0);
	early_samples_deinit(&early);
}
END_TEST

/* When its set is drained there is no more to wait for. */
START_TEST(the_last_walk)
{
	struct early_samples early = {.max_depth = DEPTH};
	struct process process = {.answer = 1, .pages = UNWIND_TABLE_WANTED};

	ck_assert_int_eq(early_samples_add(&early, make_sample(0)), 0);
	ck_assert_int_eq(early_samples_add(&early, make_sample(1)), 0);
	early_samples_take(&early, 1);
	walk(&early, &process, true);
	ck_assert_uint_eq(early.nr_raw, 1);
	ck_assert_ptr_nonnull(early.samples.data[0].raw);
	ck_assert_ptr_null(early.samples.data[1].raw);
	/* It got to what looks like a root, but who knows what was passed over. */
	ck_assert_uint_eq(early.samples.data[1].nr_frames, 3);
	ck_assert_int_eq(early.samples.data[1].end, STACK_END_EARLY);
	early_samples_deinit(&early);
}
END_TEST

START_TEST(a_stack_that_was_not_copied)
{
	struct early_samples early = {.max_depth = DEPTH};
	struct process process = {.answer = 1, .pages = UNWIND_TABLE_WANTED};
	struct early_sample *sample = make_sample(0);

	sample->nr_bytes = 0;
	ck_assert_int_eq(early_samples_add(&early, sample), 0);
	sample->nr_bytes =
		0x1000; /* up to SP + 0x100: the caller's frame is there, the root's not */
	ck_assert_int_eq(early_samples_add(&early, sample), 0);
	early_samples_take(&early, 0);
	walk(&early, &process, true);
	ck_assert_uint_eq(early.samples.data[0].nr_frames, 1);
	ck_assert_int_eq(early.samples.data[0].end, STACK_END_EARLY);
	ck_assert_uint_eq(early.samples.data[1].nr_frames, 2);
	ck_assert_int_eq(early.samples.data[1].end, STACK_END_EARLY);
	early_samples_deinit(&early);
}
END_TEST

/* What runs is mapped: what is known of the process is of another time, as before an exec. */
START_TEST(the_leaf_is_not_mapped)
{
	struct early_samples early = {.max_depth = DEPTH};
	struct process process = {.answer = 0};

	ck_assert_int_eq(early_samples_add(&early, make_sample(0)), 0);
	walk(&early, &process, false);
	ck_assert_uint_eq(early.nr_raw, 1);
	early_samples_take(&early, 0);
	walk(&early, &process, true);
	ck_assert_uint_eq(early.samples.data[0].nr_frames, 1);
	ck_assert_int_eq(early.samples.data[0].end, STACK_END_EARLY);
	early_samples_deinit(&early);
}
END_TEST

/* What the frame pointer led to is no code. */
START_TEST(a_caller_is_not_mapped)
{
	struct early_samples early = {.max_depth = DEPTH};
	struct process process = {.answer = 1, .nr_mapped = 1};

	ck_assert_int_eq(early_samples_add(&early, make_sample(0)), 0);
	walk(&early, &process, false);
	ck_assert_uint_eq(early.samples.data[0].nr_frames, 1);
	ck_assert_int_eq(early.samples.data[0].end, STACK_END_NO_TABLE);
	early_samples_deinit(&early);
}
END_TEST

START_TEST(the_depth_limit)
{
	struct early_samples early = {.max_depth = 2};
	struct process process = {.answer = 1, .pages = UNWIND_WITHOUT_TABLE};

	ck_assert_int_eq(early_samples_add(&early, make_sample(0)), 0);
	walk(&early, &process, false);
	ck_assert_uint_eq(early.samples.data[0].nr_frames, 2);
	ck_assert_int_eq(early.samples.data[0].end, STACK_END_CUT);
	early_samples_deinit(&early);
}
END_TEST

START_TEST(samples_go_with_their_set)
{
	struct early_samples early = {.max_depth = DEPTH};

	for (uint32_t i = 0; i < 4; i++)
		ck_assert_int_eq(early_samples_add(&early, make_sample(i % 2)), 0);
	early_samples_take(&early, 1);
	early_samples_forget(&early);
	ck_assert_uint_eq(early.samples.nr, 2);
	ck_assert_uint_eq(early.nr_raw, 2);
	ck_assert_uint_eq(early.samples.data[0].set, 0);
	ck_assert_uint_eq(early.samples.data[1].set, 0);
	/* One that came since is not of what was taken. */
	ck_assert_int_eq(early_samples_add(&early, make_sample(1)), 0);
	early_samples_forget(&early);
	ck_assert_uint_eq(early.samples.nr, 3);
	early_samples_deinit(&early);
}
END_TEST

SUITE_MAIN("early", walked_when_enough_is_known, the_last_walk, a_stack_that_was_not_copied,
	   the_leaf_is_not_mapped, a_caller_is_not_mapped, the_depth_limit,
	   samples_go_with_their_set)
