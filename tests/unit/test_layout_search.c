// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/layout_search.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

#define NR_LAYOUTS 64
#define NR_OBJECTS 5
#define NR_BIASES  4
#define NO_PLACE   UINT64_MAX

static struct layout_search search;

static void end(void)
{
	layout_search_deinit(&search);
}

static void add(uint32_t process, uint32_t object, uint64_t bias, uint32_t layout)
{
	ck_assert_int_eq(layout_search_add(&search, process, object, bias, layout), 0);
}

/* An object that moved each time: its next layout is known, so no other one is looked at. */
START_TEST(moved_each_time)
{
	for (uint32_t layout = 1; layout < NR_LAYOUTS; layout++)
		for (uint32_t process = 1; process < 100; process++) {
			ck_assert_uint_eq(layout_search_first(&search, process, 9, layout << 12),
					  layout);
			add(process, 9, layout << 12, layout);
		}
	for (uint32_t layout = 1; layout < NR_LAYOUTS; layout++)
		ck_assert_uint_eq(layout_search_first(&search, 7, 9, layout << 12), layout);
	ck_assert_uint_eq(layout_search_first(&search, 100, 9, 1 << 12), 1);
	ck_assert_uint_eq(layout_search_first(&search, 7, 8, 1 << 12), 1);
}
END_TEST

/* Layouts get their objects in any order. No layout that would fit is passed over. */
START_TEST(random_layouts)
{
	static uint64_t biases[NR_LAYOUTS][NR_OBJECTS];
	struct random rng = {.state = 4711};

	memset(biases, 0xff, sizeof(biases));
	for (int n = 0; n < 2000; n++) {
		uint32_t layout = 1 + random_below(&rng, NR_LAYOUTS - 1);
		uint32_t object = random_below(&rng, NR_OBJECTS);
		uint64_t bias = random_below(&rng, NR_BIASES);
		uint32_t fits = 1;

		while (fits < NR_LAYOUTS && biases[fits][object] != NO_PLACE &&
		       biases[fits][object] != bias)
			fits++;
		ck_assert_uint_le(layout_search_first(&search, 1, object, bias), fits);
		if (biases[layout][object] != NO_PLACE)
			continue;
		biases[layout][object] = bias;
		add(1, object, bias, layout);
	}
}
END_TEST

SUITE_MAIN_WITH("layout_search", NULL, end, moved_each_time, random_layouts)
