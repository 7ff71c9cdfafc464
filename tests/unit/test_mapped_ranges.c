// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/mapped_ranges.h"

#include "tests/unit/random.h"
#include "tests/unit/suite.h"

static struct mapped_ranges ranges;

static void end(void)
{
	mapped_ranges_deinit(&ranges);
}

/* The mapping at @off, or -1. */
static int find(uint32_t process, uint32_t object, uint64_t off)
{
	const struct mapped_range *range = mapped_ranges_find(&ranges, process, object, off);

	return range ? (int)range->mapping : -1;
}

#define MAKE(...)                                                                                  \
	do {                                                                                       \
		const struct model_mapping _m[] = {__VA_ARGS__};                                   \
		ck_assert_int_eq(mapped_ranges_make(&ranges, _m, ARRAY_SIZE(_m)), 0);              \
	} while (0)

START_TEST(no_mappings)
{
	ck_assert_int_eq(mapped_ranges_make(&ranges, NULL, 0), 0);
	ck_assert_int_eq(find(0, 0, 0), -1);
}
END_TEST

START_TEST(each_process_and_object_has_its_own)
{
	MAKE({1, 1, 0x1000, 0x1000}, {1, 2, 0x1000, 0x2000}, {2, 1, 0, 0x2000});
	ck_assert_int_eq(find(1, 1, 0xfff), -1);
	ck_assert_int_eq(find(1, 1, 0x1000), 0);
	ck_assert_int_eq(find(1, 1, 0x1fff), 0);
	ck_assert_int_eq(find(1, 1, 0x2000), -1);
	ck_assert_int_eq(find(1, 2, 0x2000), 1);
	ck_assert_int_eq(find(2, 1, 0), 2);
	ck_assert_int_eq(find(2, 2, 0), -1);
	ck_assert_int_eq(find(0, 1, 0x1000), -1);
	ck_assert_int_eq(find(3, 1, 0x1000), -1);
}
END_TEST

START_TEST(where_two_cover_an_offset_neither_counts)
{
	MAKE({1, 1, 0, 0x3000}, {1, 1, 0x1000, 0x1000}, {1, 1, 0x2800, 0x1000});
	ck_assert_int_eq(find(1, 1, 0xfff), 0);
	ck_assert_int_eq(find(1, 1, 0x1000), -1);
	ck_assert_int_eq(find(1, 1, 0x2000), 0);
	ck_assert_int_eq(find(1, 1, 0x2800), -1);
	ck_assert_int_eq(find(1, 1, 0x3000), 2);
}
END_TEST

START_TEST(up_to_the_last_offset)
{
	MAKE({1, 1, UINT64_MAX - 9, 10}, {1, 1, 5, 0}, {1, 2, 1, UINT64_MAX}, {1, 2, 7, 1});
	ck_assert_int_eq(find(1, 1, UINT64_MAX), 0);
	ck_assert_int_eq(find(1, 1, UINT64_MAX - 10), -1);
	ck_assert_int_eq(find(1, 1, 5), -1);
	ck_assert_int_eq(find(1, 2, UINT64_MAX), 2);
	ck_assert_int_eq(find(1, 2, 7), -1);
	ck_assert_int_eq(find(1, 2, 8), 2);
	ck_assert_int_eq(find(1, 2, 0), -1);
}
END_TEST

/* The answers are those of a search through all mappings. */
START_TEST(as_a_plain_search)
{
	enum { NR = 40, OFFSETS = 64 };
	struct random rng = {.state = 7 + _i};
	struct model_mapping m[NR];
	size_t nr = 0;

	for (int i = 0; i < NR; i++) {
		struct model_mapping new = {random_below(&rng, 2), random_below(&rng, 2),
					    random_below(&rng, OFFSETS), random_below(&rng, 12)};
		bool is_there = false;

		for (size_t k = 0; k < nr; k++)
			is_there |= m[k].process == new.process &&m[k].object ==
				    new.object &&m[k].pgoff == new.pgoff;
		if (!is_there)
			m[nr++] = new;
	}
	ck_assert_int_eq(mapped_ranges_make(&ranges, m, nr), 0);
	for (uint32_t at = 0; at < 4 * OFFSETS; at++) {
		uint32_t process = at / OFFSETS / 2, object = at / OFFSETS % 2, off = at % OFFSETS;
		int found = -1, nr_found = 0;

		for (size_t k = 0; k < nr; k++) {
			if (m[k].process != process || m[k].object != object || off < m[k].pgoff ||
			    off - m[k].pgoff >= m[k].size)
				continue;
			found = k;
			nr_found++;
		}
		ck_assert_int_eq(find(process, object, off), nr_found == 1 ? found : -1);
	}
}
END_TEST

SUITE_MAIN_LOOP_WITH("mapped_ranges", NULL, end, as_a_plain_search, 50, no_mappings,
		     each_process_and_object_has_its_own, where_two_cover_an_offset_neither_counts,
		     up_to_the_last_offset)
