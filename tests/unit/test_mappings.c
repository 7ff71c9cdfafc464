// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/mappings.h"

#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

static mapping_vec mappings;

static void end(void)
{
	vec_free(&mappings);
}

static int try_append(uint64_t first, uint64_t last)
{
	return mappings_append(&mappings, &(struct mapping){.start = first, .end = last});
}

static void append(uint64_t first, uint64_t last)
{
	ck_assert_int_eq(try_append(first, last), 0);
}

static void insert(size_t at, uint64_t first, uint64_t last)
{
	const struct mapping mapping = {.start = first, .end = last};

	ck_assert_int_eq(mappings_insert(&mappings, at, &mapping), 0);
}

/* The list must have these borders: a start and an end for each mapping. */
static void expect(size_t nr, const uint64_t *borders)
{
	ck_assert_uint_eq(mappings.nr, nr / 2);
	for (size_t i = 0; i < mappings.nr; i++) {
		ck_assert_uint_eq(mappings.data[i].start, borders[2 * i]);
		ck_assert_uint_eq(mappings.data[i].end, borders[2 * i + 1]);
	}
}

#define EXPECT(...) expect(sizeof((uint64_t[]){__VA_ARGS__}) / 8, (uint64_t[]){__VA_ARGS__})

START_TEST(found_by_address)
{
	ck_assert_ptr_null(mappings_find(&mappings, 0));
	ck_assert_uint_eq(mappings_position(&mappings, 0), 0);
	append(0x1000, 0x2000);
	append(0x2000, 0x3000);
	append(0x5000, UINT64_MAX);
	ck_assert_ptr_null(mappings_find(&mappings, 0xfff));
	ck_assert_ptr_eq(mappings_find(&mappings, 0x1000), &mappings.data[0]);
	ck_assert_ptr_eq(mappings_find(&mappings, 0x1fff), &mappings.data[0]);
	ck_assert_ptr_eq(mappings_find(&mappings, 0x2000), &mappings.data[1]);
	ck_assert_ptr_null(mappings_find(&mappings, 0x3000));
	ck_assert_uint_eq(mappings_position(&mappings, 0x3000), 2);
	ck_assert_ptr_eq(mappings_find(&mappings, UINT64_MAX - 1), &mappings.data[2]);
	ck_assert_ptr_null(mappings_find(&mappings, UINT64_MAX));
	ck_assert_uint_eq(mappings_position(&mappings, UINT64_MAX), 3);
}
END_TEST

START_TEST(inserted_and_removed)
{
	insert(0, 5, 6);
	insert(0, 1, 2);
	insert(1, 3, 4);
	EXPECT(1, 2, 3, 4, 5, 6);
	mappings_remove(&mappings, 1);
	EXPECT(1, 2, 5, 6);
	mappings_remove(&mappings, 1);
	mappings_remove(&mappings, 0);
	ck_assert_uint_eq(mappings.nr, 0);
}
END_TEST

/* A mapping grew, or took the place of others, while the list was read. */
START_TEST(the_last_one_counts)
{
	append(0x1000, 0x2000);
	append(0x2000, 0x4000);
	append(0x3000, 0x5000);
	EXPECT(0x1000, 0x2000, 0x2000, 0x3000, 0x3000, 0x5000);
	append(0x1800, 0x6000);
	EXPECT(0x1000, 0x1800, 0x1800, 0x6000);
	append(0x1000, 0x7000);
	EXPECT(0x1000, 0x7000);
}
END_TEST

START_TEST(out_of_memory)
{
	oom_for_each_call(n)
	{
		int ret = 0;

		for (uint64_t i = 0; !ret && i < 20; i++)
			ret = try_append(i, i + 1);
		for (uint64_t i = 0; !ret && i < 20; i++)
			ret = mappings_insert(&mappings, 0, &(struct mapping){0});
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		end();
	}
}
END_TEST

SUITE_MAIN_WITH("mappings", NULL, end, found_by_address, inserted_and_removed, the_last_one_counts,
		out_of_memory)
