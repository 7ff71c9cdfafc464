// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/shares/shares.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/shares/owner_ids.h"
#include "record/shares/owner_queue.h"
#include "record/shares/owner_time.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

#define ALICE 1000u
#define BOB   1001u

#define SECOND_NS UINT64_C(1000000000)

/* Takes room for @item, and gives back whatever has to go first. Returns how many had to go. */
static int take(struct shares *s, uint32_t item, uint32_t uid, uint32_t nr, uint64_t use)
{
	uint32_t loser = SHARES_NO_ITEM;
	int ret, nr_gone = 0;

	while ((ret = shares_take(s, item, uid, nr, use, &loser)) && loser != SHARES_NO_ITEM) {
		ck_assert_int_eq(ret, -ENOSPC);
		ck_assert_uint_ne(s->items.data[loser].nr, 0);
		shares_give(s, loser);
		nr_gone++;
	}
	return ret ? ret : nr_gone;
}

static uint64_t held(const struct shares *s, uint32_t uid)
{
	vec_for_each(&s->owners, o)
		if (o->uid == uid)
			return o->held;
	return 0;
}

START_TEST(room_that_nobody_uses_is_for_anybody)
{
	struct shares s = {.size = 8};

	for (uint32_t i = 0; i < 8; i++)
		ck_assert_int_eq(take(&s, i, ALICE, 1, 1), 0);
	ck_assert_uint_eq(held(&s, ALICE), 8);
	ck_assert_uint_eq(shares_nr_lacked(&s), 0);
	shares_deinit(&s);
}
END_TEST

START_TEST(who_has_most_gives_back_down_to_an_equal_share)
{
	struct shares s = {.size = 8};

	for (uint32_t i = 0; i < 8; i++)
		take(&s, i, ALICE, 1, 100);
	for (uint32_t i = 8; i < 13; i++)
		ck_assert_int_eq(take(&s, i, BOB, 1, 1), i < 12 ? 1 : -ENOSPC);
	ck_assert_uint_eq(held(&s, ALICE), 4);
	ck_assert_uint_eq(held(&s, BOB), 4);
	ck_assert_int_eq(take(&s, 13, ALICE, 1, 1), -ENOSPC);
	ck_assert_uint_eq(shares_nr_lacked(&s), 2);
	shares_deinit(&s);
}
END_TEST

START_TEST(root_has_what_it_needs)
{
	struct shares s = {.size = 8};

	for (uint32_t i = 0; i < 8; i++)
		take(&s, i, ALICE, 1, 100);
	for (uint32_t i = 8; i < 16; i++)
		ck_assert_int_eq(take(&s, i, 0, 1, 1), 1);
	ck_assert_uint_eq(held(&s, 0), 8);
	ck_assert_int_eq(take(&s, 0, ALICE, 1, 1), -ENOSPC);
	shares_deinit(&s);
}
END_TEST

START_TEST(the_least_used_goes_first)
{
	struct shares s = {.size = 3};

	for (uint32_t i = 0; i < 3; i++)
		take(&s, i, ALICE, 1, 1);
	shares_use(&s, 0, 5);
	shares_use(&s, 2, 3);
	ck_assert_uint_eq(shares_loser(&s, BOB, 1, 1), 1);
	/* Of her own, she has the one that is wanted more. */
	ck_assert_uint_eq(shares_loser(&s, ALICE, 1, 1), SHARES_NO_ITEM);
	ck_assert_uint_eq(shares_loser(&s, ALICE, 1, 2), 1);
	shares_deinit(&s);
}
END_TEST

START_TEST(what_is_idle_gives_way_to_everybody)
{
	struct shares s = {.size = 2};

	take(&s, 0, 0, 1, 7);
	take(&s, 1, 0, 1, 8);
	ck_assert_uint_eq(shares_loser(&s, BOB, 1, 1), SHARES_NO_ITEM);
	for (int i = 0; i < 3; i++)
		shares_age(&s);
	ck_assert_uint_eq(shares_loser(&s, BOB, 1, 1), 0);
	ck_assert_uint_eq(shares_loser(&s, BOB, 1, 0), SHARES_NO_ITEM);
	ck_assert_uint_eq(shares_loser(&s, 0, 1, 0), 0);
	shares_deinit(&s);
}
END_TEST

START_TEST(an_item_gets_another_owner)
{
	struct shares s = {.size = 4};
	uint32_t loser;

	ck_assert_int_eq(shares_take(&s, 0, ALICE, 3, 5, &loser), 0);
	shares_move(&s, 0, BOB);
	shares_move(&s, 1, BOB);
	ck_assert_uint_eq(shares_held(&s, ALICE), 0);
	ck_assert_uint_eq(shares_held(&s, BOB), 3);
	ck_assert_uint_eq(s.used, 3);
	shares_give(&s, 0);
	shares_move(&s, 0, ALICE);
	ck_assert_uint_eq(shares_held(&s, BOB), 0);
	ck_assert_uint_eq(shares_held(&s, ALICE), 0);
	ck_assert_uint_eq(s.used, 0);
	shares_deinit(&s);
}
END_TEST

START_TEST(room_that_cannot_be_given_back_has_a_limit)
{
	struct shares s = {.size = 8, .owner_max = 2};

	take(&s, 0, ALICE, 2, 1);
	ck_assert_int_eq(take(&s, 1, ALICE, 1, 1), -ENOSPC);
	ck_assert_int_eq(take(&s, 1, BOB, 2, 1), 0);
	ck_assert_int_eq(take(&s, 2, 0, 4, 1), 0);
	ck_assert_uint_eq(shares_nr_lacked(&s), 1);
	shares_deinit(&s);
}
END_TEST

START_TEST(nothing_goes_for_what_can_never_fit)
{
	struct shares s = {.size = 4};

	take(&s, 0, ALICE, 4, 1);
	ck_assert_int_eq(take(&s, 1, 0, 5, 1), -ENOSPC);
	ck_assert_uint_eq(held(&s, ALICE), 4);
	shares_deinit(&s);
}
END_TEST

/* Two users never take from each other in turns, whatever the sizes are. */
START_TEST(room_does_not_go_back_and_forth)
{
	struct random rng = {11};

	for (int round = 0; round < 200; round++) {
		struct shares s = {.size = 64};
		uint32_t item = 0, nr_gone = 0;

		for (int i = 0; i < 400; i++) {
			uint32_t uid = random_below(&rng, 2) ? ALICE : BOB;
			int ret = take(&s, item, uid, 1 + random_below(&rng, 30), 1);

			item += ret >= 0;
			nr_gone += ret > 0;
			ck_assert_uint_le(s.used, s.size);
			ck_assert_uint_eq(s.used, held(&s, ALICE) + held(&s, BOB));
		}
		ck_assert_uint_lt(nr_gone, 64);
		shares_deinit(&s);
	}
}
END_TEST

/* Ids of a user namespace may be many: those beyond the table are one owner. */
START_TEST(owners_are_bounded)
{
	struct shares s = {.size = 1 << 20};

	for (uint32_t i = 0; i < 3000; i++)
		ck_assert_int_eq(take(&s, i, 1 + i, 1, 1), 0);
	ck_assert_uint_eq(s.owners.nr, SHARES_OWNERS_MAX);
	ck_assert_uint_eq(held(&s, SHARES_OTHERS), 3000 - SHARES_OWNERS_MAX + 1);
	for (uint32_t i = 0; i < 3000; i++)
		shares_give(&s, i);
	ck_assert_uint_eq(s.used, 0);
	shares_deinit(&s);
}
END_TEST

static bool is_not_bob(void *ctx, uint32_t uid)
{
	(void)ctx;
	return uid != BOB;
}

START_TEST(users_take_turns_and_root_is_first)
{
	static const uint32_t uids[] = {ALICE, ALICE, ALICE, BOB, BOB, 0};
	static const uint32_t order[] = {5, 0, 3, 1, 4, 2};
	struct owner_queue q = {.max = 16};
	struct queue_entry e;

	for (uint32_t i = 0; i < ARRAY_SIZE(uids); i++)
		ck_assert_int_eq(owner_queue_add(&q, uids[i], i, &e), 0);
	for (uint32_t i = 0; i < ARRAY_SIZE(order); i++) {
		ck_assert(owner_queue_take(&q, NULL, NULL, &e));
		ck_assert_uint_eq(e.tag, order[i]);
		ck_assert_uint_eq(e.uid, uids[order[i]]);
	}
	ck_assert(!owner_queue_take(&q, NULL, NULL, &e));
	owner_queue_add(&q, BOB, 7, &e);
	ck_assert(!owner_queue_take(&q, is_not_bob, NULL, &e));
	owner_queue_add(&q, ALICE, 8, &e);
	ck_assert(owner_queue_take(&q, is_not_bob, NULL, &e));
	ck_assert_uint_eq(e.tag, 8);
	owner_queue_deinit(&q);
}
END_TEST

START_TEST(who_fills_the_queue_leaves_it)
{
	struct owner_queue q = {.max = 4};
	struct queue_entry lost;

	for (uint32_t i = 0; i < 4; i++)
		ck_assert_int_eq(owner_queue_add(&q, ALICE, i, &lost), 0);
	ck_assert_int_eq(owner_queue_add(&q, ALICE, 4, &lost), 1);
	ck_assert_uint_eq(lost.tag, 4);
	ck_assert_int_eq(owner_queue_add(&q, BOB, 5, &lost), 1);
	ck_assert_uint_eq(lost.tag, 3);
	ck_assert_int_eq(owner_queue_add(&q, 0, 6, &lost), 1);
	ck_assert_uint_eq(lost.tag, 2);
	ck_assert_uint_eq(q.waiting.nr, 4);
	owner_queue_deinit(&q);
}
END_TEST

START_TEST(each_user_has_time_that_comes_back)
{
	struct owner_time t = {.part = 100, .max_ns = SECOND_NS};
	uint64_t now_ns = 5 * SECOND_NS;

	owner_time_charge(&t, ALICE, SECOND_NS / 4, now_ns);
	ck_assert_uint_eq(owner_time_left(&t, ALICE, now_ns), SECOND_NS / 4 * 3);
	ck_assert_uint_eq(owner_time_left(&t, BOB, now_ns), SECOND_NS);
	owner_time_charge(&t, ALICE, SECOND_NS, now_ns);
	ck_assert_uint_eq(owner_time_left(&t, ALICE, now_ns), 0);
	ck_assert_uint_eq(owner_time_left(&t, ALICE, now_ns + 25 * SECOND_NS), 0);
	ck_assert_uint_gt(owner_time_left(&t, ALICE, now_ns + 26 * SECOND_NS), 0);
	ck_assert_uint_eq(owner_time_left(&t, ALICE, now_ns + 125 * SECOND_NS), SECOND_NS);
	ck_assert(owner_time_is_low(&t, ALICE, now_ns));
	ck_assert(owner_time_is_low(&t, ALICE, now_ns + 74 * SECOND_NS));
	ck_assert(!owner_time_is_low(&t, ALICE, now_ns + 76 * SECOND_NS));
	owner_time_charge(&t, 0, SECOND_NS, now_ns);
	ck_assert_uint_eq(owner_time_left(&t, 0, now_ns), UINT64_MAX);
	ck_assert(!owner_time_is_low(&t, 0, now_ns));
	owner_time_deinit(&t);
}
END_TEST

START_TEST(neither_debts_nor_accounts_add_up)
{
	struct owner_time t = {.part = 100, .max_ns = SECOND_NS};

	for (uint32_t i = 0; i < 3; i++)
		owner_time_charge(&t, ALICE, UINT64_MAX, SECOND_NS);
	ck_assert_uint_eq(owner_time_left(&t, ALICE, 102 * SECOND_NS), SECOND_NS / 100);
	for (uint32_t i = 0; i < 3000; i++)
		owner_time_charge(&t, 1 + i, SECOND_NS, SECOND_NS);
	ck_assert_uint_eq(t.accounts.nr, 1024);
	ck_assert_uint_eq(owner_time_left(&t, 2999, SECOND_NS), 0);
	owner_time_charge(&t, BOB + 5000, SECOND_NS / 2, 1000 * SECOND_NS);
	ck_assert_uint_eq(t.accounts.nr, 1024);
	ck_assert_uint_eq(owner_time_left(&t, BOB + 5000, 1000 * SECOND_NS), SECOND_NS / 2);
	owner_time_deinit(&t);
}
END_TEST

static void read_rows(const char *text)
{
	char path[] = "/tmp/subuid.XXXXXX";
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	ck_assert_int_eq(owner_ids_read(path), 0);
	unlink(path);
}

/* A user has the ids of a row, and no more shares for that. */
START_TEST(the_ids_of_a_row_are_one_owner)
{
	struct shares s = {.size = 100};
	struct owner_queue q = {.max = 4};
	struct owner_time t = {.part = 100, .max_ns = SECOND_NS};
	struct queue_entry entry;

	read_rows("alice:100000:65536\nbob:165536:65536\n");
	for (uint32_t i = 0; i < 100; i++)
		ck_assert_int_eq(take(&s, i, 100000 + 300 * i, 1, 1), 0);
	ck_assert_uint_eq(held(&s, 100000), 100);
	ck_assert_uint_eq(shares_held(&s, 165535), 100);
	for (uint32_t i = 100; i < 150; i++)
		ck_assert_int_eq(take(&s, i, 165536 + i, 1, 1), 1);
	ck_assert_uint_eq(shares_held(&s, 165536), 50);
	shares_note_lack(&s, 231071);
	ck_assert_uint_eq(shares_most_lacked(&s)->uid, 165536);
	shares_deinit(&s);
	owner_time_charge(&t, 100001, SECOND_NS, SECOND_NS);
	ck_assert_uint_eq(owner_time_left(&t, 100002, SECOND_NS), 0);
	ck_assert_uint_eq(owner_time_left(&t, 165536, SECOND_NS), SECOND_NS);
	owner_time_charge(&t, 100002, SECOND_NS, SECOND_NS);
	ck_assert_uint_eq(t.accounts.nr, 1);
	owner_time_deinit(&t);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_int_eq(owner_queue_add(&q, 100000 + i, i, &entry), 0);
	ck_assert_int_eq(owner_queue_add(&q, 170000, 4, &entry), 1);
	ck_assert_uint_eq(entry.tag, 3);
	owner_queue_deinit(&q);
	ck_assert_uint_eq(share_owner_of(0, 100007), 100000);
	ck_assert_uint_eq(share_owner_of(100007, 0), 100000);
}
END_TEST

START_TEST(rows_of_any_kind)
{
	char text[32 * 40] = "";

	/* Two containers of one user, a row of another size, and one that begins after it. */
	read_rows("#alice\nroot:1000000:131072\n\nbob:1131072:100\n1003:1131172:65536");
	ck_assert_uint_eq(owner_id(999999), 999999);
	ck_assert_uint_eq(owner_id(1065535), 1000000);
	ck_assert_uint_eq(owner_id(1065536), 1065536);
	ck_assert_uint_eq(owner_id(1131071), 1065536);
	ck_assert_uint_eq(owner_id(1131072 + 99), 1131072);
	ck_assert_uint_eq(owner_id(1131172 + 65535), 1131172);
	ck_assert_uint_eq(owner_id(1131172 + 65536), 1131172 + 65536);
	/* A user may have one row by name, and another one by number. */
	read_rows("alice:100000:65536\n1000:100000:65536\n1000:100100:7\nbob:165536:65536\n");
	ck_assert_uint_eq(owner_ranges_read[0].nr, 131072);
	ck_assert_uint_eq(owner_ranges_read[1].nr, 0);
	/* Rows that overlap, so that nobody counts as two. */
	read_rows("a:100000:65536\nb:150000:65536\n");
	ck_assert_uint_eq(owner_id(165535), 100000);
	ck_assert_uint_eq(owner_id(165536), 165536);
	ck_assert_uint_eq(owner_id(215535), 165536);
	ck_assert_uint_eq(owner_id(215536), 215536);
	/* None of these has ids. What stands for nobody is no id of a user. */
	read_rows(
		"a:0:65536\npodman:1:999\npodman:1001:64535\nb:100000\nc::5\nd:200000:0\ne:4294967295:1\nf:4294901760:65535\n"
		"g:18446744073709551615:2\nh:300000:18446744073709551615\n:::\nlast");
	ck_assert_uint_eq(owner_ranges_read[0].nr, 0);
	ck_assert_uint_eq(owner_id(0), 0);
	ck_assert_uint_eq(owner_id(SHARES_OTHERS), SHARES_OTHERS);
	ck_assert_uint_eq(owner_id(UINT32_MAX), UINT32_MAX);
	/* Of more ranges than there is room for, the lowest ids count. */
	for (int i = 0; i < 32; i++)
		sprintf(text + strlen(text), "u%d:%d:65536\n", i, 4000000 - i * 100000);
	read_rows(text);
	ck_assert_uint_eq(owner_id(4000000 - 31 * 100000 + 5), 4000000 - 31 * 100000);
	ck_assert_uint_eq(owner_id(4000005), 4000005);
	ck_assert_int_eq(owner_ids_read("/nonexistent/subuid"), 0);
	ck_assert_uint_eq(owner_ranges_read[0].nr, 0);
}
END_TEST

SUITE_MAIN("shares", an_item_gets_another_owner, room_that_nobody_uses_is_for_anybody,
	   who_has_most_gives_back_down_to_an_equal_share, root_has_what_it_needs,
	   the_least_used_goes_first, what_is_idle_gives_way_to_everybody,
	   nothing_goes_for_what_can_never_fit, room_that_cannot_be_given_back_has_a_limit,
	   room_does_not_go_back_and_forth, owners_are_bounded, users_take_turns_and_root_is_first,
	   who_fills_the_queue_leaves_it, each_user_has_time_that_comes_back,
	   neither_debts_nor_accounts_add_up, the_ids_of_a_row_are_one_owner, rows_of_any_kind)
