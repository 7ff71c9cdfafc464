// SPDX-License-Identifier: GPL-2.0-or-later
/* Shares of a ring buffer that the program gives to users. */
#include "bpf/owner_room.h"

#include <stdbool.h>
#include <stdint.h>

#include "tests/unit/suite.h"

#define SIZE  (1u << 20)
#define BYTES 8192

static struct owner_room rooms[OWNER_ROOMS];
static uint64_t used;

static void begin(void)
{
	memset(rooms, 0, sizeof(rooms));
	used = 0;
}

/* Takes BYTES for @uid, as the program does. */
static bool take(uint32_t uid)
{
	uint32_t nr = owner_room_of(uid);
	struct owner_room *room = &rooms[nr];

	ck_assert_uint_lt(nr, OWNER_ROOMS);
	if (owner_room_is_open(room, nr, SIZE - used) && used + BYTES <= SIZE) {
		room->used += BYTES;
		used += BYTES;
		return true;
	}
	owner_room_refuse(room, uid);
	return false;
}

static uint32_t take_all(uint32_t uid)
{
	uint32_t nr = 0;

	while (take(uid))
		nr++;
	return nr * BYTES;
}

/* A user who wants everything leaves half, and two leave a third. Root has the rest. */
START_TEST(there_is_room_for_others)
{
	ck_assert_uint_le(take_all(65534), SIZE / 2 + BYTES);
	ck_assert_uint_ge(used, SIZE / 2);
	ck_assert_uint_ge(take_all(1000), SIZE / 4);
	ck_assert(take(1001));
	take_all(0);
	ck_assert_uint_eq(used, SIZE);
	ck_assert(!take(0));
}
END_TEST

/* What was read is free again. */
START_TEST(room_comes_back)
{
	uint32_t nr = take_all(1000);

	ck_assert(!take(1000));
	rooms[owner_room_of(1000)].used -= nr;
	used -= nr;
	ck_assert_uint_eq(take_all(1000), nr);
}
END_TEST

START_TEST(refusals_are_noted)
{
	const uint32_t other = 1000 + OWNER_ROOMS;
	struct owner_room *room = &rooms[owner_room_of(1000)];

	take_all(1000);
	ck_assert_uint_eq(room->nr_refused, 1);
	ck_assert_uint_eq(room->uid, 1000);
	ck_assert(!room->has_several);
	ck_assert_uint_eq(owner_room_of(other), owner_room_of(1000));
	ck_assert(!take(other));
	ck_assert_uint_eq(room->nr_refused, 2);
	ck_assert(room->has_several);
	/* No other user is root. */
	ck_assert_uint_ne(owner_room_of(OWNER_ROOMS), owner_room_of(0));
}
END_TEST

/* Rows of /etc/subuid begin at such distances. */
START_TEST(users_with_further_ids_have_rooms_of_their_own)
{
	bool is_taken[OWNER_ROOMS] = {false};

	for (uint32_t i = 0; i < 90; i++) {
		uint32_t nr = owner_room_of(100000 + i * OWNER_IDS);

		ck_assert_msg(!is_taken[nr], "%u", i);
		is_taken[nr] = true;
	}
}
END_TEST

SUITE_MAIN_WITH("owner_room", begin, NULL, there_is_room_for_others, room_comes_back,
		refusals_are_noted, users_with_further_ids_have_rooms_of_their_own)
