// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/rows.h"
#include "tests/unit/prof_helper.h"
#include "tests/unit/suite.h"

struct seen {
	uint64_t counts[16];
	uint32_t user[16], kernel[16]; /* numbers of frames */
	size_t nr, stop_at;
};

static int see(void *ctx, const struct stack_row *row)
{
	struct seen *seen = ctx;

	if (seen->stop_at && seen->nr == seen->stop_at)
		return -EINTR;
	seen->counts[seen->nr] = row->count;
	seen->user[seen->nr] = row->user.nr;
	seen->kernel[seen->nr] = row->kernel.nr;
	seen->nr++;
	return 0;
}

/* Rows: a user stack with two kernel stacks, without one, and with a missed one. */
static void make_model(struct model *model)
{
	uint32_t frames[2], user, kernel1, kernel2, missed, process;
	struct world w;

	world_init(&w);
	for (int i = 0; i < 2; i++)
		frames[i] = WORLD_PUSH(&w, frames, {0, i});
	user = world_stack(&w, frames, 2, 0);
	kernel1 = world_stack(&w, frames, 1, 0);
	kernel2 = world_stack(&w, frames + 1, 1, 0);
	missed = world_stack(&w, frames, 0, PROF_STACK_MISSED_FULL);
	process = WORLD_PUSH(&w, processes, {5, 1, 0, 0});
	WORLD_PUSH(&w, counts, {process, 0, user, kernel1, 8});
	WORLD_PUSH(&w, counts, {process, 0, user, kernel2, 1});
	WORLD_PUSH(&w, counts, {process, 0, user, 0, 2});
	WORLD_PUSH(&w, counts, {process, 0, missed, missed, 4});
	ck_assert_int_eq(model_init(model), 0);
	ck_assert_int_eq(model_add_epoch(model, world_epoch(&w)), 0);
	model_finish(model);
	world_deinit(&w);
}

static void walk(struct view view, struct seen *seen, struct rows_summary *summary)
{
	struct model model;

	make_model(&model);
	*seen = (struct seen){0};
	ck_assert_int_eq(rows_visit(&model, &view, see, seen, summary), 0);
	model_deinit(&model);
}

START_TEST(both_sides)
{
	struct rows_summary summary;
	struct seen seen;

	walk((struct view){0}, &seen, &summary);
	ck_assert_uint_eq(seen.nr, 4);
	for (size_t i = 0; i < 4; i++)
		ck_assert_uint_eq(seen.counts[i], 1u << i);
	ck_assert_uint_eq(seen.user[3], 2);
	ck_assert_uint_eq(seen.kernel[3], 1);
	ck_assert_uint_eq(summary.missed_stacks, 2);
	ck_assert(summary.is_storage_full);
}
END_TEST

START_TEST(one_side_merges)
{
	struct rows_summary summary;
	struct seen seen;

	walk((struct view){.user_only = true}, &seen, &summary);
	ck_assert_uint_eq(seen.nr, 2);
	ck_assert_uint_eq(seen.counts[0], 4);
	ck_assert_uint_eq(seen.counts[1], 11);
	ck_assert_uint_eq(seen.kernel[1], 0);
	ck_assert_uint_eq(summary.missed_stacks, 1);
	walk((struct view){.kernel_only = true}, &seen, &summary);
	ck_assert_uint_eq(seen.nr, 4);
	ck_assert_uint_eq(seen.user[3], 0);
}
END_TEST

START_TEST(an_op_ends_it)
{
	struct rows_summary summary;
	struct seen seen = {.stop_at = 2};
	struct view view = {0};
	struct model model;

	make_model(&model);
	ck_assert_int_eq(rows_visit(&model, &view, see, &seen, &summary), -EINTR);
	ck_assert_uint_eq(seen.nr, 2);
	model_deinit(&model);
}
END_TEST

SUITE_MAIN("walk", both_sides, one_side_merges, an_op_ends_it)
