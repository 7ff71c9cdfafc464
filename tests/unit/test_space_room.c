// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/space_room.h"

#include <errno.h>
#include <malloc.h>

#include "bpf/walk/unwind.h"
#include "tests/unit/suite.h"

#define MANY  1000u /* user ids */
#define OTHER 1001u
#define NR    4096u /* processes, as items */

static struct extent extents[NR];

/* Takes room as the recorder does: whoever has to leave leaves. Returns 0 or -ENOSPC. */
static int take(struct space_room *r, uint32_t item, uint32_t uid, uint32_t nr, uint64_t use)
{
	const struct room_user user = {item, uid, use};
	uint32_t loser, first;
	int ret;

	while ((ret = space_room_take(r, &user, nr, &first, &loser)) == -ENOSPC &&
	       loser != SHARES_NO_ITEM) {
		shares_give(&r->mappings, loser);
		space_room_leave(r, MANY, extents[loser]);
	}
	if (!ret)
		extents[item] = (struct extent){first, nr};
	return ret;
}

/* The processes of one user take what they can. Returns how many have room. */
static uint32_t fill(struct space_room *r)
{
	uint32_t item = 0;

	ck_assert_int_eq(space_room_init(r), 0);
	while (!take(r, item, MANY, space_room_max(r, MANY), 9))
		item++;
	ck_assert_uint_ge(item, 14);
	return item;
}

START_TEST(who_has_little_need_not_wait)
{
	struct space_room r;
	uint32_t item = fill(&r);

	for (uint32_t i = 0; i < 40; i++)
		ck_assert_int_eq(take(&r, ++item, OTHER, 20, 1), 0);
	ck_assert_uint_ge(space_room_max(&r, OTHER), 400);
	ck_assert_uint_eq(shares_nr_lacked(&r.mappings), 1);
	ck_assert_uint_eq(shares_most_lacked(&r.mappings)->uid, MANY);
	space_room_deinit(&r);
}
END_TEST

/* What others had to leave is not for who had most. */
START_TEST(the_reserve_is_not_for_who_has_much)
{
	struct space_room r;
	uint32_t item = fill(&r);

	ck_assert_int_eq(take(&r, ++item, OTHER, 20, 1), 0);
	for (uint32_t i = 0; i < 1000; i++)
		take(&r, ++item, MANY, 100, 99);
	ck_assert_uint_ge(r.free.nr_free, 7000);
	space_room_settle(&r);
	ck_assert_uint_ge(r.free.nr_free, 7000);
	space_room_deinit(&r);
}
END_TEST

START_TEST(root_has_what_it_needs)
{
	struct space_room r;
	uint32_t item = fill(&r);

	ck_assert_int_eq(take(&r, ++item, 0, 4096, 1), 0);
	ck_assert(space_room_is_short(&r) || r.free.nr_free >= 4096);
	space_room_deinit(&r);
}
END_TEST

/* Users who both want more end with equal parts. */
START_TEST(two_users_share)
{
	struct space_room r;
	uint32_t item = fill(&r);

	for (uint32_t i = 0; i < 2000; i++) {
		if (take(&r, ++item, OTHER, 100, 9))
			item--;
		space_room_settle(&r);
		for (uint32_t n = 0; n < item; n++)
			shares_use(&r.mappings, n, 9);
	}
	ck_assert_uint_ge(shares_held(&r.mappings, OTHER), UNWIND_MAX_MAPPINGS / 4);
	ck_assert_uint_ge(shares_held(&r.mappings, MANY), UNWIND_MAX_MAPPINGS / 4);
	space_room_deinit(&r);
}
END_TEST

START_TEST(without_samples_only_where_there_is_plenty)
{
	struct space_room r;

	ck_assert_int_eq(space_room_init(&r), 0);
	ck_assert(space_room_is_plenty(&r, 4096));
	space_room_deinit(&r);
	fill(&r);
	ck_assert(!space_room_is_plenty(&r, 1));
	space_room_deinit(&r);
}
END_TEST

/* As in space_room.c. */
#define RESERVE (UNWIND_MAX_MAPPINGS / 8)
#define LITTLE  (RESERVE / 8)
#define SHARED  (UNWIND_MAX_MAPPINGS - RESERVE) /* what users share */

/* Root takes room, of which no program may look at @nr_left any more after the settle. */
static void take_by_root(struct space_room *r, uint32_t nr, uint32_t nr_left)
{
	ck_assert_int_eq(space_room_init(r), 0);
	if (nr)
		ck_assert_int_eq(take(r, 0, 0, nr, 1), 0);
	if (!nr_left)
		return;
	ck_assert_int_eq(take(r, 1, 0, nr_left, 1), 0);
	shares_give(&r->mappings, 1);
	ck_assert_int_eq(space_room_leave(r, 0, extents[1]), 0);
}

/* There is plenty as long as no more than a half is taken. */
START_TEST(how_much_is_plenty)
{
	struct space_room r;

	for (uint32_t nr = 0; nr <= 100; nr += 100) {
		take_by_root(&r, nr, 0);
		ck_assert(space_room_is_plenty(&r, SHARED / 2 - nr));
		ck_assert(!space_room_is_plenty(&r, SHARED / 2 - nr + 1));
		space_room_deinit(&r);
	}
}
END_TEST

/*
 * A part of what is left, or of what another user has more. What was left counts until the settle.
 */
START_TEST(how_much_a_process_may_have)
{
	struct space_room r;

	take_by_root(&r, 0, 0);
	ck_assert_int_eq(take(&r, 0, MANY, 40000, 1), 0);
	ck_assert_uint_eq(space_room_max(&r, 0), 4096);
	ck_assert_uint_eq(space_room_max(&r, OTHER), 40000 / 14);
	ck_assert_int_eq(take(&r, 2, OTHER, 1400, 1), 0);
	ck_assert_uint_eq(space_room_max(&r, OTHER), 38600 / 14);
	shares_give(&r.mappings, 2);
	ck_assert_int_eq(space_room_leave(&r, OTHER, extents[2]), 0);
	ck_assert_uint_eq(space_room_max(&r, OTHER), 38600 / 14);
	ck_assert_uint_eq(space_room_max(&r, MANY), (SHARED - 40000) / 14);
	space_room_settle(&r);
	ck_assert_uint_eq(space_room_max(&r, OTHER), 40000 / 14);
	space_room_deinit(&r);
	/* Some in any case. */
	take_by_root(&r, 0, 0);
	ck_assert_int_eq(take(&r, 2, OTHER, SHARED - 15 * 64, 1), 0);
	ck_assert_uint_eq(space_room_max(&r, OTHER), 15 * 64 / 14);
	ck_assert_int_eq(take(&r, 3, OTHER, 2 * 64, 1), 0);
	ck_assert_uint_eq(space_room_max(&r, OTHER), 64);
	space_room_deinit(&r);
}
END_TEST

/* The reserve is for root, and for who has little. */
START_TEST(borders_of_the_reserve)
{
	static const struct {
		uint32_t left, uid, nr;
		int ret;
	} cases[] = {
		{1000, OTHER, SHARED - 1000, 0},      {1000, OTHER, SHARED - 1000 + 1, -ENOSPC},
		{1000, 0, SHARED - 1000 + 1, 0},      {SHARED, OTHER, LITTLE, 0},
		{SHARED, OTHER, LITTLE + 1, -ENOSPC}, {SHARED, 0, RESERVE, 0},
		{SHARED, 0, RESERVE + 1, -ENOSPC},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct space_room r;

		take_by_root(&r, 0, cases[i].left);
		ck_assert_msg(take(&r, 2, cases[i].uid, cases[i].nr, 1) == cases[i].ret, "%zu", i);
		ck_assert_uint_eq(shares_held(&r.mappings, cases[i].uid),
				  cases[i].ret ? 0 : cases[i].nr);
		ck_assert_uint_eq(shares_nr_lacked(&r.mappings), cases[i].ret != 0);
		space_room_deinit(&r);
	}
}
END_TEST

/* A settle helps where little is free and something was left. */
START_TEST(when_room_is_short)
{
	struct space_room r;

	take_by_root(&r, 0, SHARED);
	ck_assert_int_eq(take(&r, 2, 0, RESERVE / 2, 1), 0);
	ck_assert(!space_room_is_short(&r));
	ck_assert_int_eq(take(&r, 3, 0, 1, 1), 0);
	ck_assert(space_room_is_short(&r));
	space_room_settle(&r);
	ck_assert(!space_room_is_short(&r));
	ck_assert_uint_eq(r.free.nr_free, UNWIND_MAX_MAPPINGS - RESERVE / 2 - 1);
	ck_assert_int_eq(take(&r, 4, 0, SHARED - RESERVE / 2 - 1, 1), 0);
	ck_assert(!space_room_is_short(&r));
	ck_assert_int_eq(space_room_leave(&r, 0, (struct extent){0}), 0);
	ck_assert_uint_eq(r.left.nr, 0);
	space_room_deinit(&r);
}
END_TEST

/* After some turns, there is as much memory as before. */
START_TEST(memory_is_given_back)
{
	size_t bytes[12];

	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		struct space_room r;
		uint32_t loser;

		take_by_root(&r, 100, 50);
		ck_assert_int_eq(shares_take(&r.processes, 3, MANY, 1, 1, &loser), 0);
		space_room_deinit(&r);
		bytes[i] = mallinfo2().uordblks;
	}
	ck_assert_uint_eq(bytes[10], bytes[11]);
}
END_TEST

SUITE_MAIN("space_room", who_has_little_need_not_wait, the_reserve_is_not_for_who_has_much,
	   root_has_what_it_needs, two_users_share, without_samples_only_where_there_is_plenty,
	   how_much_is_plenty, how_much_a_process_may_have, borders_of_the_reserve,
	   when_room_is_short, memory_is_given_back)
