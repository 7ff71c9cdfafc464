// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/space_room.h"

#include <errno.h>

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

SUITE_MAIN("space_room", who_has_little_need_not_wait, the_reserve_is_not_for_who_has_much,
	   root_has_what_it_needs, two_users_share, without_samples_only_where_there_is_plenty)
