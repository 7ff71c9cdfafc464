// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "report/view/rows.h"
#include "tests/unit/world.h"
#include "tests/unit/suite.h"

struct seen {
	uint64_t counts[16];
	uint32_t user[16], kernel[16]; /* numbers of frames */
	size_t nr, stop_at;
};

static int see(void *ctx, const struct stack_row *row)
{
	struct seen *to = ctx;

	if (to->stop_at && to->nr == to->stop_at)
		return -EINTR;
	to->counts[to->nr] = row->count;
	to->user[to->nr] = row->user.nr;
	to->kernel[to->nr] = row->kernel.nr;
	to->nr++;
	return 0;
}

static struct model model;
static struct seen seen;
static struct rows_summary summary;

/*
 * Rows: a user stack with two kernel stacks, one of them cut; without one; and with a missed one.
 */
static void begin(void)
{
	uint32_t frames[2], user, kernel1, kernel2, missed, process;
	struct world w;

	world_init(&w);
	for (int i = 0; i < 2; i++)
		frames[i] = WORLD_PUSH(&w, frames, {0, i});
	user = world_stack(&w, frames, 2, 0);
	kernel1 = world_stack(&w, frames, 1, 0);
	kernel2 = world_stack(&w, frames + 1, 1, PROF_STACK_CUT);
	missed = world_stack(&w, frames, 0, PROF_STACK_MISSED_FULL);
	process = WORLD_PUSH(&w, processes, {5, 1, 0, 0});
	WORLD_COUNT(&w, process, 0, user, kernel1, 8);
	WORLD_COUNT(&w, process, 0, user, kernel2, 1);
	WORLD_COUNT(&w, process, 0, user, 0, 2);
	WORLD_COUNT(&w, process, 0, missed, missed, 4);
	ck_assert_int_eq(model_init(&model), 0);
	ck_assert_int_eq(model_add_epoch(&model, world_epoch(&w)), 0);
	ck_assert_int_eq(model_finish(&model), 0);
	world_deinit(&w);
}

static void end(void)
{
	model_deinit(&model);
}

/* Walks the rows from the beginning. see ends the walk before row @stop_at, unless that is 0. */
static int walk(struct view view, size_t stop_at)
{
	seen = (struct seen){.stop_at = stop_at};
	return rows_visit(&model, &view, see, &seen, &summary);
}

START_TEST(both_sides)
{
	ck_assert_int_eq(walk((struct view){0}, 0), 0);
	ck_assert_uint_eq(seen.nr, 4);
	for (size_t i = 0; i < 4; i++)
		ck_assert_uint_eq(seen.counts[i], 1u << i);
	ck_assert_uint_eq(seen.user[3], 2);
	ck_assert_uint_eq(seen.kernel[3], 1);
	ck_assert_uint_eq(summary.missed_stacks, 2);
	ck_assert_uint_eq(summary.cut_stacks, 1);
	ck_assert(summary.is_storage_full);
}
END_TEST

START_TEST(one_side_merges)
{
	ck_assert_int_eq(walk((struct view){.user_only = true}, 0), 0);
	ck_assert_uint_eq(seen.nr, 2);
	ck_assert_uint_eq(seen.counts[0], 4);
	ck_assert_uint_eq(seen.counts[1], 11);
	ck_assert_uint_eq(seen.kernel[1], 0);
	ck_assert_uint_eq(summary.missed_stacks, 1);
	ck_assert_uint_eq(summary.cut_stacks, 0);
	ck_assert_int_eq(walk((struct view){.kernel_only = true}, 0), 0);
	ck_assert_uint_eq(seen.nr, 4);
	ck_assert_uint_eq(seen.user[3], 0);
}
END_TEST

START_TEST(summaries_add_up)
{
	struct rows_summary sum = {0};

	ck_assert_int_eq(walk((struct view){0}, 0), 0);
	rows_summary_add(&sum, &summary);
	rows_summary_add(&sum, &summary);
	ck_assert_uint_eq(sum.missed_stacks, 4);
	ck_assert_uint_eq(sum.cut_stacks, 2);
	ck_assert(sum.is_storage_full);
}
END_TEST

START_TEST(an_op_ends_it)
{
	ck_assert_int_eq(walk((struct view){0}, 2), -EINTR);
	ck_assert_uint_eq(seen.nr, 2);
}
END_TEST

SUITE_MAIN_WITH("rows", begin, end, both_sides, one_side_merges, summaries_add_up, an_op_ends_it)
