// SPDX-License-Identifier: GPL-2.0-or-later
/* The half of a drain that needs no sampler: early samples go into an epoch. */
#include "record/epoch/drain.h"

#include "tests/unit/epoch_helper.h"
#include "tests/unit/suite.h"

struct drain_world {
	struct world w;
	struct drain *drain;
	struct early_samples early;
};

static void begin(struct drain_world *d)
{
	*d = (struct drain_world){0};
	world_create(&d->w);
	ck_assert_int_eq(drain_create(&d->drain), 0);
}

static void end(struct drain_world *d)
{
	early_samples_deinit(&d->early);
	drain_destroy(d->drain);
	world_destroy(&d->w);
}

/* A sample of one frame, whose stack has been walked. */
static void add_early(struct drain_world *d, uint32_t pid, uint64_t addr, bool is_taken)
{
	struct early early = {.key = {.tgid = pid, .comm = "early"},
			      .time_ns = 20,
			      .is_taken = is_taken,
			      .frames = malloc(sizeof(addr)),
			      .nr_frames = 1,
			      .end = STACK_END_ROOT};

	ck_assert_ptr_nonnull(early.frames);
	early.frames[0] = addr;
	ck_assert_int_eq(vec_push(&d->early.samples, early), 0);
}

START_TEST(samples_of_the_set_that_was_taken)
{
	struct prof_epoch t;
	struct drain_world d;

	begin(&d);
	map(&d.w, PID_A, 10, "/bin/app", &id_app, 0x10000, 0x1000, 0);
	add_early(&d, PID_A, 0x10010, true);
	add_early(&d, PID_A, 0x10020, false);
	add_early(&d, PID_A, 0x10010, true);
	ck_assert_int_eq(drain_add_next(d.drain, &d.early, d.w.epoch), 0);
	t = finish(&d.w);
	ck_assert_uint_eq(t.nr_counts, 1);
	ck_assert_uint_eq(t.counts[0].count, 2);
	expect_stack(&t, t.counts[0].process, t.counts[0].user_stack, FRAMES(0x10010));
	/* The other one waits for the drain of its set. */
	ck_assert_uint_eq(d.early.samples.nr, 1);
	ck_assert_uint_eq(d.early.samples.data[0].frames[0], 0x10020);
	d.early.samples.data[0].is_taken = true;
	ck_assert_int_eq(drain_add_next(d.drain, &d.early, d.w.epoch), 0);
	ck_assert_uint_eq(epoch_samples(d.w.epoch), 3);
	ck_assert_uint_eq(d.early.samples.nr, 0);
	ck_assert_int_eq(drain_add_next(d.drain, NULL, d.w.epoch), 0);
	ck_assert_uint_eq(epoch_samples(d.w.epoch), 3);
	end(&d);
}
END_TEST

/* Each time that the epoch is large, the caller gets to write it; no sample is lost or doubled. */
START_TEST(the_caller_writes_large_epochs)
{
	enum { NR = 10000 };
	uint64_t nr_samples = 0;
	unsigned int nr_parts = 0;
	struct drain_world d;
	int ret;

	begin(&d);
	for (uint32_t i = 0; i < NR; i++)
		add_early(&d, PID_A + i, 0x10000, true);
	while ((ret = drain_add_next(d.drain, &d.early, d.w.epoch)) == 1) {
		ck_assert(epoch_is_large(d.w.epoch));
		finish(&d.w);
		nr_samples += epoch_samples(d.w.epoch);
		nr_parts++;
		ck_assert_int_eq(epoch_reset(d.w.epoch), 0);
	}
	ck_assert_int_eq(ret, 0);
	ck_assert(!epoch_is_large(d.w.epoch));
	ck_assert_uint_gt(nr_parts, 1);
	ck_assert_uint_eq(nr_samples + epoch_samples(d.w.epoch), NR);
	ck_assert_uint_eq(d.early.samples.nr, 0);
	end(&d);
}
END_TEST

SUITE_MAIN("drain", samples_of_the_set_that_was_taken, the_caller_writes_large_epochs)
