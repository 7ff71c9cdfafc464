// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/row_changes.h"
#include "tests/unit/suite.h"
#include "tests/unit/world.h"

static struct model model;

/* Rows of three stacks, with 1, 2 and 4 samples in each of two slots. */
static void begin(void)
{
	struct world w;
	uint32_t process;

	world_init(&w);
	process = WORLD_PUSH(&w, processes, {5, 1, 0, 0});
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t frame = WORLD_PUSH(&w, frames, {0, i});

		WORLD_COUNT(&w, process, 0, world_stack(&w, &frame, 1, 0), 0, 1u << i);
	}
	ck_assert_int_eq(model_init(&model), 0);
	model.keeps_slots = true;
	ck_assert_int_eq(model_add_epoch(&model, world_epoch(&w)), 0);
	ck_assert_int_eq(model_add_epoch(&model, world_epoch(&w)), 0);
	ck_assert_int_eq(model_finish(&model), 0);
	world_deinit(&w);
}

static void end(void)
{
	model_deinit(&model);
}

static uint64_t slot_sum(uint32_t slot, uint32_t row)
{
	uint64_t sum = 0;

	vec_for_each(&model.slot_counts, part)
		if (part->slot == slot && part->row == row)
			sum += part->count;
	return sum;
}

START_TEST(rows_go)
{
	const bool is_kept[] = {true, false, true};

	ck_assert_int_eq(model_change_rows(&model, is_kept, NULL), 0);
	ck_assert_uint_eq(model.rows.nr, 2);
	ck_assert_uint_eq(model.rows.data[1].count, 8);
	ck_assert_uint_eq(model.totals[0], 10);
	ck_assert_uint_eq(model.slot_counts.nr, 4);
	for (uint32_t slot = 0; slot < 2; slot++) {
		ck_assert_uint_eq(slot_sum(slot, 0), 1);
		ck_assert_uint_eq(slot_sum(slot, 1), 4);
	}
}
END_TEST

/* What filters of stacks leave out is a part of the whole. */
START_TEST(rows_are_left_out)
{
	const bool is_kept[] = {true, false, true};
	uint64_t in_slots[2] = {0}, whole = model.totals[0];

	ck_assert_int_eq(model_leave_out_rows(&model, is_kept), 0);
	ck_assert_int_eq(model_change_rows(&model, is_kept, NULL), 0);
	ck_assert_uint_eq(model.totals[0], 10);
	ck_assert_uint_eq(model_whole(&model, 0), whole);
	vec_for_each(&model.slots_left_out, part)
		in_slots[part->slot] += part->count;
	ck_assert_uint_eq(in_slots[0] + in_slots[1], whole - 10);
}
END_TEST

START_TEST(all_rows_go)
{
	const bool is_kept[3] = {0};

	ck_assert_int_eq(model_change_rows(&model, is_kept, NULL), 0);
	ck_assert_uint_eq(model.rows.nr, 0);
	ck_assert_uint_eq(model.totals[0], 0);
	ck_assert_uint_eq(model.slot_counts.nr, 0);
}
END_TEST

START_TEST(rows_become_equal)
{
	uint32_t stacks[] = {0, 1, 1, 3};

	ck_assert_int_eq(model_change_rows(&model, NULL, stacks), 0);
	ck_assert_uint_eq(model.rows.nr, 2);
	ck_assert_uint_eq(model.rows.data[0].count, 6);
	ck_assert_uint_eq(model.totals[0], 14);
	for (uint32_t slot = 0; slot < 2; slot++) {
		ck_assert_uint_eq(slot_sum(slot, 0), 3);
		ck_assert_uint_eq(slot_sum(slot, 1), 4);
	}
}
END_TEST

SUITE_MAIN_WITH("row_changes", begin, end, rows_go, rows_are_left_out, all_rows_go,
		rows_become_equal)
