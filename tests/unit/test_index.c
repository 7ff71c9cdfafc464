// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/index.h"

#include "common/vec.h"
#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

/* Any half of these hashes tells numbers apart. */
static uint64_t hash_of(uint32_t n)
{
	return n * UINT64_C(0x9e3779b97f4a7c15);
}

static uint32_t find(const struct index *ix, uint32_t n)
{
	index_for_each(ix, hash_of(n), i)
		if (i == n)
			return i;
	return INDEX_NONE;
}

START_TEST(empty)
{
	struct index ix = {0};

	ck_assert_uint_eq(find(&ix, 1), INDEX_NONE);
	index_clear(&ix);
	index_deinit(&ix);
}
END_TEST

START_TEST(grows)
{
	struct index ix = {0};

	for (uint32_t n = 0; n < 10000; n++) {
		ck_assert_uint_eq(find(&ix, n), INDEX_NONE);
		ck_assert_int_eq(index_insert(&ix, hash_of(n), n), 0);
	}
	for (uint32_t n = 0; n < 10000; n++)
		ck_assert_uint_eq(find(&ix, n), n);
	ck_assert_uint_eq(find(&ix, 10000), INDEX_NONE);
	index_clear(&ix);
	ck_assert_uint_eq(find(&ix, 1), INDEX_NONE);
	ck_assert_int_eq(index_insert(&ix, hash_of(1), 1), 0);
	ck_assert_uint_eq(find(&ix, 1), 1);
	index_deinit(&ix);
}
END_TEST

START_TEST(equal_hashes)
{
	struct index ix = {0};
	uint32_t seen = 0;

	for (uint32_t n = 0; n < 200; n++)
		ck_assert_int_eq(index_insert(&ix, UINT64_MAX, n), 0);
	index_for_each(&ix, UINT64_MAX, i)
		seen++;
	ck_assert_uint_eq(seen, 200);
	index_deinit(&ix);
}
END_TEST

/* Only the wanted one of several elements with one hash gives its place up. */
START_TEST(replaces)
{
	struct index ix = {0};
	uint64_t seen = 0;

	for (uint32_t n = 0; n < 3; n++)
		ck_assert_int_eq(index_insert(&ix, hash_of(7), 10 + n), 0);
	index_replace(&ix, hash_of(7), 11, 20);
	index_for_each(&ix, hash_of(7), i)
		seen = seen * 100 + i;
	ck_assert_uint_eq(seen, 102012);
	index_deinit(&ix);
}
END_TEST

/* When memory runs out, the index knows of no element that the array does not have. */
START_TEST(pushed_with_its_element)
{
	oom_for_each_call(n)
	{
		VEC(uint32_t) array = {0};
		struct index ix = {0};
		int ret = 0;

		for (uint32_t i = 0; !ret && i < 200; i++)
			ret = index_push(&ix, &array, hash_of(i), i);
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		for (uint32_t i = 0; i <= array.nr; i++)
			ck_assert_uint_eq(find(&ix, i), i < array.nr ? i : INDEX_NONE);
		ck_assert_uint_eq(ix.nr, array.nr);
		vec_free(&array);
		index_deinit(&ix);
	}
}
END_TEST

SUITE_MAIN("index", empty, grows, equal_hashes, replaces, pushed_with_its_element)
