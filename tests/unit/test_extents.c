// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/extents.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

#define NR_NUMBERS 4096
#define NR_ROUNDS  20000
#define BOUNDARY   256

struct taken {
	uint32_t first, nr;
};

/* Every number is taken once or free. In the end neighbours are one extent again. */
START_TEST(numbers_are_taken_once)
{
	struct extents e = {.boundary = BOUNDARY};
	bool is_taken[NR_NUMBERS] = {false};
	VEC(struct taken) taken = {0};
	struct random rng = {7};

	for (uint32_t i = 0; i < NR_NUMBERS; i += BOUNDARY)
		ck_assert_int_eq(extents_give(&e, i, BOUNDARY), 0);
	for (int round = 0; round < NR_ROUNDS; round++) {
		struct taken t = {.nr = 1 + random_below(&rng, 40)};

		if (random_below(&rng, 2) && !extents_take(&e, t.nr, &t.first)) {
			ck_assert_uint_eq(t.first / BOUNDARY, (t.first + t.nr - 1) / BOUNDARY);
			for (uint32_t i = t.first; i < t.first + t.nr; i++) {
				ck_assert(!is_taken[i]);
				is_taken[i] = true;
			}
			ck_assert_int_eq(vec_push(&taken, t), 0);
		} else if (taken.nr) {
			size_t at = random_below(&rng, taken.nr);

			t = taken.data[at];
			taken.data[at] = taken.data[--taken.nr];
			ck_assert_int_eq(extents_give(&e, t.first, t.nr), 0);
			memset(&is_taken[t.first], 0, t.nr);
		}
	}
	vec_for_each(&taken, t)
		ck_assert_int_eq(extents_give(&e, t->first, t->nr), 0);
	ck_assert_uint_eq(e.nr_free, NR_NUMBERS);
	ck_assert_uint_eq(e.free.nr, NR_NUMBERS / BOUNDARY);
	vec_free(&taken);
	extents_deinit(&e);
}
END_TEST

START_TEST(nothing_is_free)
{
	struct extents e = {0};
	uint32_t first = 7;

	ck_assert_int_eq(extents_take(&e, 1, &first), -ENOSPC);
	ck_assert_int_eq(extents_give(&e, 10, 5), 0);
	ck_assert_int_eq(extents_take(&e, 6, &first), -ENOSPC);
	ck_assert_uint_eq(first, 7);
	ck_assert_int_eq(extents_take(&e, 5, &first), 0);
	ck_assert_uint_eq(first, 10);
	ck_assert_uint_eq(e.nr_free, 0);
	extents_deinit(&e);
}
END_TEST

SUITE_MAIN("extents", numbers_are_taken_once, nothing_is_free)
