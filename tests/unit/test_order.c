// SPDX-License-Identifier: GPL-2.0-or-later
/* The order in which tables are written. A reader takes any, so the round trip does not show it. */
#include "format/order.h"

#include "tests/unit/suite.h"
#include "tests/unit/world.h"

static struct world w;
static struct order o;

static void begin(void)
{
	world_init(&w);
}

static void end(void)
{
	order_deinit(&o);
	world_deinit(&w);
}

#define CHECK_IDS(ids, ...)                                                                        \
	do {                                                                                       \
		static const uint32_t _expected[] = {__VA_ARGS__};                                 \
                                                                                                   \
		for (uint32_t _at = 0; _at < ARRAY_SIZE(_expected); _at++)                         \
			ck_assert_msg((ids)[_at] == _expected[_at], #ids "[%u] is %u", _at,        \
				      (ids)[_at]);                                                 \
	} while (0)

#define NR_STRINGS 24

/* Tables use the strings from the last to the second; nothing uses the first. */
START_TEST(strings)
{
	uint32_t next = NR_STRINGS;

	while (w.strings.nr < NR_STRINGS)
		world_string(&w, "");
	WORLD_PUSH(&w, processes, {.pid = 2});
	WORLD_PUSH(&w, processes, {.pid = 1});
	WORLD_COUNT(&w, 0, --next, 0, 0, 1);
	WORLD_COUNT(&w, 0, --next, 0, 0, 1);
	WORLD_PUSH(&w, objects, {.path = --next});
	next -= 6;
	WORLD_PUSH(&w, process_infos, {1, 0, 0, next + 2, next + 1, next});
	WORLD_PUSH(&w, process_infos, {2, 0, 0, next + 5, next + 4, next + 3});
	next -= 4;
	WORLD_PUSH(&w, process_attributes, {1, next + 1, next});
	WORLD_PUSH(&w, process_attributes, {2, next + 3, next + 2});
	next -= 2;
	WORLD_PUSH(&w, labels, {next + 1, next});
	next -= 2;
	WORLD_PUSH(&w, languages, {1, 0, next + 1, next});
	next -= 2;
	WORLD_PUSH(&w, symbols, {1, next, 5, 1});
	WORLD_PUSH(&w, symbols, {1, next + 1, 4, 1});
	next -= 2;
	WORLD_PUSH(&w, source_frames, {.name = next + 1, .file = next});
	WORLD_PUSH(&w, name_sources, {.object = 1, .file = --next});
	ck_assert_uint_eq(next, 2);
	ck_assert_int_eq(order_init(&o, world_epoch(&w)), 0);
	CHECK_IDS(o.string_old, 0, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7,
		  6, 5, 4, 3, 2, 1);
	CHECK_IDS(o.string_new, 0, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7,
		  6, 5, 4, 3, 2, 1);
}
END_TEST

/* In each sorted table a row comes after the next one by a key that counts less and less. */
START_TEST(processes)
{
	WORLD_PUSH(&w, processes, {9, 2, 0, 3});
	WORLD_PUSH(&w, processes, {9, 1, 0, 0});
	WORLD_PUSH(&w, processes, {5, 3, 3, 1});
	WORLD_PUSH(&w, mappings, {.start = 2, .size = 1});
	WORLD_PUSH(&w, mappings, {.start = 1, .size = 2});
	WORLD_PUSH(&w, mappings, {.start = 1, .size = 1});
	WORLD_PUSH(&w, mappings, {.start = 3, .size = 3});
	for (uint32_t process = 1; process < w.processes.nr; process++) {
		WORLD_PUSH(&w, process_infos, {.process = process});
		WORLD_PUSH(&w, process_attributes, {.process = process});
		WORLD_PUSH(&w, process_attributes, {.process = process});
	}
	ck_assert_int_eq(order_init(&o, world_epoch(&w)), 0);
	CHECK_IDS(o.process_old, 0, 3, 2, 1);
	CHECK_IDS(o.process_new, 0, 3, 2, 1);
	ck_assert_uint_eq(o.nr_mappings, 4);
	CHECK_IDS(o.mapping_old, 3, 2, 1, 0);
	CHECK_IDS(o.info_old, 2, 1, 0);
	CHECK_IDS(o.attribute_old, 4, 5, 2, 3, 0, 1);
}
END_TEST

START_TEST(frames)
{
	WORLD_PUSH(&w, symbols, {.object = 2, .offset = 1, .size = 1});
	WORLD_PUSH(&w, symbols, {.object = 1, .offset = 2, .size = 1});
	WORLD_PUSH(&w, symbols, {.object = 1, .offset = 1, .size = 2});
	WORLD_PUSH(&w, symbols, {.object = 1, .offset = 1, .size = 1});
	WORLD_PUSH(&w, frames, {2, 1});
	WORLD_PUSH(&w, frames, {1, 2});
	WORLD_PUSH(&w, frames, {1, 1});
	WORLD_PUSH(&w, exact_frames, 0);
	WORLD_PUSH(&w, exact_frames, 1);
	world_stack(&w, (const uint32_t[]){0}, 1, 0);
	world_stack(&w, (const uint32_t[]){0, 2}, 2, 0);
	world_stack(&w, (const uint32_t[]){2}, 1, 1);
	world_stack(&w, (const uint32_t[]){2}, 1, 0);
	ck_assert_int_eq(order_init(&o, world_epoch(&w)), 0);
	CHECK_IDS(o.symbol_old, 3, 2, 1, 0);
	CHECK_IDS(o.frame_old, 2, 1, 0);
	CHECK_IDS(o.frame_new, 2, 1, 0);
	CHECK_IDS(o.exact_new, 1, 2);
	CHECK_IDS(o.stack_old, 0, 4, 3, 2, 1);
	CHECK_IDS(o.stack_new, 0, 4, 3, 2, 1);
	CHECK_IDS(o.root_frames + o.root_first[2], 0, 2);
}
END_TEST

/* Process, string and stack 1 come after 2. The last two rows differ in nothing. */
START_TEST(counts)
{
	const struct prof_count low = {2, 2, 2, 2, 1, 1, 2, 2, 1, 1};

	WORLD_PUSH(&w, processes, {.pid = 2});
	WORLD_PUSH(&w, processes, {.pid = 1});
	world_string(&w, "a");
	world_string(&w, "b");
	WORLD_PUSH(&w, frames, {0, 0});
	world_stack(&w, (const uint32_t[]){0}, 1, 1);
	world_stack(&w, (const uint32_t[]){0}, 1, 0);
	while (w.counts.nr < 11)
		WORLD_PUSH(&w, counts, low);
	w.counts.data[0].kernel_stack = 1;
	w.counts.data[1].user_stack = 1;
	w.counts.data[2].process = 1;
	w.counts.data[3].comm = 1;
	w.counts.data[4].tid = 2;
	w.counts.data[5].event = 2;
	w.counts.data[6].waker_kernel_stack = 1;
	w.counts.data[7].waker_user_stack = 1;
	w.counts.data[8].label_set = 2;
	ck_assert_int_eq(order_init(&o, world_epoch(&w)), 0);
	CHECK_IDS(o.count_old, 9, 10, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}
END_TEST

SUITE_MAIN_WITH("order", begin, end, strings, processes, frames, counts)
