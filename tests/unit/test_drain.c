// SPDX-License-Identifier: GPL-2.0-or-later
/* The half of a drain that needs no sampler: early samples go into an epoch. */
#include "record/epoch/drain.h"

#include "tests/unit/epoch_helper.h"
#include "tests/unit/suite.h"

static struct drain *drain;
static struct early_samples early;

static void begin(void)
{
	world_create();
	early = (struct early_samples){0};
	ck_assert_int_eq(drain_create(&drain), 0);
}

static void end(void)
{
	early_samples_deinit(&early);
	drain_destroy(drain);
	world_destroy();
}

/* A sample of one frame, whose stack has been walked. */
static void add_early(uint32_t pid, uint64_t addr, bool is_taken)
{
	struct early sample = {.key = {.tgid = pid, .comm = "early"},
			       .time_ns = 20,
			       .weight = 1,
			       .is_taken = is_taken,
			       .frames = malloc(sizeof(addr)),
			       .nr_frames = 1,
			       .end = STACK_END_ROOT};

	ck_assert_ptr_nonnull(sample.frames);
	sample.frames[0] = addr;
	ck_assert_int_eq(vec_push(&early.samples, sample), 0);
}

START_TEST(samples_of_the_set_that_was_taken)
{
	map_file(PID_A, 10, "/bin/app", &id_app, 0x10000, 0x1000, 0);
	add_early(PID_A, 0x10010, true);
	add_early(PID_A, 0x10020, false);
	add_early(PID_A, 0x10010, true);
	ck_assert_int_eq(drain_add_next(drain, &early, w.epoch), 0);
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 1);
	ck_assert_uint_eq(t.counts[0].count, 2);
	expect_user(0, FRAMES(0x10010));
	/* The other one waits for the drain of its set. */
	ck_assert_uint_eq(early.samples.nr, 1);
	ck_assert_uint_eq(early.samples.data[0].frames[0], 0x10020);
	early.samples.data[0].is_taken = true;
	ck_assert_int_eq(drain_add_next(drain, &early, w.epoch), 0);
	ck_assert_uint_eq(early.samples.nr, 0);
	ck_assert_int_eq(drain_add_next(drain, NULL, w.epoch), 0);
	finish_epoch();
	ck_assert_uint_eq(nr_samples, 3);
}
END_TEST

/* Each time that the epoch is large, the caller gets to write it; no sample is lost or doubled. */
START_TEST(the_caller_writes_large_epochs)
{
	enum { NR = 10000 };
	uint64_t nr_written = 0;
	unsigned int nr_parts = 0;
	int ret;

	for (uint32_t i = 0; i < NR; i++)
		add_early(PID_A + i, 0x10000, true);
	while ((ret = drain_add_next(drain, &early, w.epoch)) == 1) {
		ck_assert(epoch_is_large(w.epoch));
		finish_epoch();
		nr_written += nr_samples;
		nr_parts++;
		ck_assert_int_eq(epoch_reset(w.epoch), 0);
	}
	ck_assert_int_eq(ret, 0);
	ck_assert(!epoch_is_large(w.epoch));
	ck_assert_uint_gt(nr_parts, 1);
	finish_epoch();
	ck_assert_uint_eq(nr_written + nr_samples, NR);
	ck_assert_uint_eq(early.samples.nr, 0);
}
END_TEST

/* A stack that was walked for counts to come is no sample itself. */
START_TEST(stack_of_a_thread_that_waits)
{
	map_file(PID_A, 10, "/bin/app", &id_app, 0x10000, 0x1000, 0);
	add_early(PID_A, 0x10010, true);
	early.samples.data[0].key.user_stack = STACK_FIRST_ID + 1;
	early.samples.data[0].weight = 0;
	ck_assert_int_eq(drain_add_next(drain, &early, w.epoch), 0);
	ck_assert_uint_eq(early.samples.nr, 0);
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 0);
}
END_TEST

SUITE_MAIN_WITH("drain", begin, end, samples_of_the_set_that_was_taken,
		the_caller_writes_large_epochs, stack_of_a_thread_that_waits)
