// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/hit_finder.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

/* Addresses around each hit, and the ends of all addresses, are found as by binary search. */
static void expect_like_search(struct range_hit *hits, size_t nr)
{
	struct hit_finder finder = {0};

	range_hits_sort(hits, nr);
	ck_assert_int_eq(hit_finder_init(&finder, hits, nr), 0);
	for (size_t i = 0; i < nr; i++)
		for (int distance = -1; distance <= 1; distance++) {
			uint64_t addr = hits[i].addr + distance;

			ck_assert_uint_eq(hit_finder_lower(&finder, addr),
					  range_hits_lower(hits, nr, addr));
		}
	ck_assert_uint_eq(hit_finder_lower(&finder, 0), range_hits_lower(hits, nr, 0));
	ck_assert_uint_eq(hit_finder_lower(&finder, UINT64_MAX),
			  range_hits_lower(hits, nr, UINT64_MAX));
	hit_finder_deinit(&finder);
}

START_TEST(few)
{
	struct range_hit hits[] = {{.addr = UINT64_MAX}, {.addr = 0}, {.addr = UINT64_MAX}};

	for (size_t nr = 0; nr <= ARRAY_SIZE(hits); nr++)
		expect_like_search(hits, nr);
}
END_TEST

START_TEST(random_hits)
{
	struct random rng = {.state = 1};

	for (int round = 0; round < 300; round++) {
		struct range_hit hits[100];
		/* Crowded, and spread over all addresses with a crowd. */
		uint64_t span = round % 2 ? 200 : UINT64_MAX;
		size_t nr = random_below(&rng, ARRAY_SIZE(hits));

		for (size_t i = 0; i < nr; i++)
			hits[i] = (struct range_hit){.addr = i % 3 ? random_u64(&rng) % span
								   : random_below(&rng, 50)};
		expect_like_search(hits, nr);
	}
}
END_TEST

SUITE_MAIN("hit_finder", few, random_hits)
