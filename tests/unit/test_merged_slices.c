// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/write/merged_slices.h"
#include "tests/unit/suite.h"

#define SECOND UINT64_C(1000000000)

static struct model model;
static struct merged_slices slices;

static void begin(void)
{
	ck_assert_int_eq(model_init(&model), 0);
	model.keeps_slots = true;
}

static void end(void)
{
	merged_slices_deinit(&slices);
	model_deinit(&model);
}

static void add_slot(uint64_t begin_ns, uint64_t end_ns)
{
	const struct model_slot slot = {begin_ns, end_ns};

	ck_assert_int_eq(vec_push(&model.slots, slot), 0);
}

static void make(uint64_t length_ns)
{
	ck_assert_int_eq(merged_slices_init(&slices, &model, length_ns), 0);
}

static void expect_part(size_t i, uint32_t row, uint32_t slice, uint64_t count)
{
	ck_assert_uint_lt(i, slices.out.nr);
	ck_assert_uint_eq(slices.out.data[i].row, row);
	ck_assert_uint_eq(slices.out.data[i].slice, slice);
	ck_assert_uint_eq(slices.out.data[i].count, count);
}

/* The second recording begins in the middle of a slice. */
START_TEST(one_after_the_other)
{
	struct prof_epoch epoch = {0};

	add_slot(0, SECOND);
	add_slot(SECOND, SECOND + SECOND / 4);
	add_slot(SECOND + SECOND / 4, 2 * SECOND + SECOND / 4);
	ck_assert_int_eq(model_add_slot_count(&model, 1, 2, 5), 0);
	ck_assert_int_eq(model_add_slot_count(&model, 1, 0, 1), 0);
	ck_assert_int_eq(model_add_slot_count(&model, 0, 1, 3), 0);
	ck_assert_int_eq(model_add_slot_count(&model, 0, 2, 4), 0);
	make(2 * SECOND + SECOND / 4);
	ck_assert_uint_eq(slices.slice_ns, SECOND);
	ck_assert_int_eq(merged_slices_put(&slices, 0, 0), 0);
	ck_assert_uint_eq(slices.out.nr, 1);
	expect_part(0, 0, 1, 7);
	merged_slices_begin(&slices);
	ck_assert_int_eq(merged_slices_put(&slices, 1, 0), 0);
	ck_assert_uint_eq(slices.out.nr, 2);
	expect_part(0, 0, 0, 1);
	expect_part(1, 0, 1, 5);
	merged_slices_finish(&slices, &epoch);
	ck_assert_uint_eq(epoch.nr_slices, 2);
	ck_assert_uint_eq(epoch.slice_ns, SECOND);
}
END_TEST

START_TEST(a_recording_without_slices)
{
	add_slot(0, SECOND);
	add_slot(SECOND, 61 * SECOND);
	make(61 * SECOND);
	ck_assert_uint_eq(slices.slice_ns, 60 * SECOND);
}
END_TEST

START_TEST(more_slices_than_an_epoch_may_have)
{
	add_slot(0, SECOND);
	ck_assert_int_eq(model_add_slot_count(&model, 0, 0, 1), 0);
	add_slot(100000 * SECOND, 100001 * SECOND);
	ck_assert_int_eq(model_add_slot_count(&model, 0, 1, 2), 0);
	make(100001 * SECOND);
	ck_assert_int_eq(merged_slices_put(&slices, 0, 0), 0);
	expect_part(0, 0, 0, 1);
	ck_assert_uint_lt(slices.out.data[1].slice, PROF_MAX_SLICES);
	ck_assert_uint_le(slices.slice_ns, 2 * SECOND);
}
END_TEST

/* Hostile recordings can claim to have lasted for centuries. */
START_TEST(slices_of_more_than_an_hour)
{
	add_slot(0, UINT64_MAX);
	ck_assert_int_eq(model_add_slot_count(&model, 0, 0, 1), 0);
	make(UINT64_MAX);
	ck_assert_uint_eq(slices.slice_ns, 0);
	ck_assert_int_eq(merged_slices_put(&slices, 0, 0), 0);
	ck_assert_uint_eq(slices.out.nr, 0);
}
END_TEST

SUITE_MAIN_WITH("merged_slices", begin, end, one_after_the_other, a_recording_without_slices,
		more_slices_than_an_epoch_may_have, slices_of_more_than_an_hour)
