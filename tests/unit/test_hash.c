// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/hash.h"

#include <stdbool.h>

#include "common/cleanup.h"
#include "tests/unit/suite.h"

#define NR 1000

/* Differing in eight bytes, which XXH3 without a seed multiplies by 0. */
static void collide(char s[static 40], unsigned int i)
{
	snprintf(s, 40, "\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe%08x0123456789abcdef", i);
}

/* How many of the strings have the high half of the first one's hash: an index compares those. */
static unsigned int nr_equal(uint64_t basis)
{
	unsigned int nr = 0;
	char s[40];
	uint32_t tag;

	collide(s, 0);
	tag = hash_bytes(s, strlen(s), basis) >> 32;
	for (unsigned int i = 0; i < NR; i++) {
		collide(s, i);
		nr += hash_bytes(s, strlen(s), basis) >> 32 == tag;
	}
	return nr;
}

START_TEST(a_seed_separates_what_collides)
{
	ck_assert_uint_eq(nr_equal(0), NR);
	for (uint64_t seed = 1; seed <= 16; seed++) {
		hash_seed_set(seed << 60 | seed);
		ck_assert_uint_lt(nr_equal(0), 3);
		ck_assert_uint_lt(nr_equal(seed + 1), 3);
	}
}
END_TEST

START_TEST(a_seed_changes_all_hashes)
{
	const uint64_t number = hash_u64(7), none = hash_bytes(NULL, 0, 0),
		       bytes = hash_bytes("x", 1, 0);

	hash_seed_init();
	ck_assert_uint_ne(hash_u64(7), number);
	ck_assert_uint_ne(hash_bytes(NULL, 0, 0), none);
	ck_assert_uint_ne(hash_bytes("x", 1, 0), bytes);
	hash_seed_set(0);
	ck_assert_uint_eq(hash_u64(7), number);
	ck_assert_uint_eq(hash_bytes(NULL, 0, 0), none);
	ck_assert_uint_eq(hash_bytes("x", 1, 0), bytes);
}
END_TEST

START_TEST(each_draw_is_another)
{
	uint64_t first;

	hash_seed_init();
	first = hash_u64(7);
	hash_seed_init();
	ck_assert_uint_ne(hash_u64(7), first);
}
END_TEST

/* All that an index takes of a hash is its high half. */
START_TEST(small_numbers_spread)
{
	static bool seen[NR * 64];
	unsigned int nr = 0;

	for (uint64_t i = 0; i < NR; i++) {
		uint32_t slot = (hash_u64(i) >> 32) % ARRAY_SIZE(seen);

		nr += !seen[slot];
		seen[slot] = true;
	}
	ck_assert_uint_gt(nr, NR * 9 / 10);
}
END_TEST

START_TEST(a_basis_counts)
{
	ck_assert_uint_ne(hash_bytes("x", 1, 0), hash_bytes("x", 1, 1));
	ck_assert_uint_ne(hash_bytes("", 0, hash_bytes("ab", 2, 0)),
			  hash_bytes("ab", 2, hash_bytes("", 0, 0)));
}
END_TEST

SUITE_MAIN("hash", a_seed_separates_what_collides, a_seed_changes_all_hashes, each_draw_is_another,
	   small_numbers_spread, a_basis_counts)
