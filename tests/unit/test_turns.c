// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/turns.h"

#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

#define NEVER UINT64_MAX

static struct mapped_memory memory;
static struct address_space space;
static struct turns turns;

/* Of a frame at 0x1010, or of two, the other one at 0x2010. */
static uint64_t frames[] = {0x1010, 0x2010};
static struct raw_stack stack;

static void begin(void)
{
	memory = (struct mapped_memory){0};
	space = (struct address_space){.memory = &memory};
	stack = (struct raw_stack){.frames = frames, .nr_frames = 1};
}

static void end(void)
{
	turns_deinit(&turns);
	vec_free(&memory.live);
	vec_free(&memory.ended);
}

/* A page at @start of file @file was mapped in [begin_ns, end_ns). */
static void map(uint64_t start, uint32_t file, uint64_t begin_ns, uint64_t end_ns)
{
	const struct mapping m = {.start = start,
				  .end = start + 0x1000,
				  .file = file,
				  .begin_ns = begin_ns,
				  .end_ns = end_ns};

	ck_assert_int_eq(end_ns == NEVER ? mappings_append(&memory.live, &m)
					 : vec_push(&memory.ended, m),
			 0);
}

static int divide(uint64_t count, uint64_t first_ns, uint64_t last_ns)
{
	const struct count_value value = {.count = count, .first_ns = first_ns, .last_ns = last_ns};

	return turns_divide(&turns, &space, &stack, &value);
}

/* The samples of the turn that holds @time_ns, or of one of the same meaning. */
static uint64_t samples_at(uint64_t time_ns)
{
	vec_for_each(&turns.turns, turn)
		if (turn->time_ns == time_ns)
			return turn->nr_samples;
	return 0;
}

static uint64_t sum(void)
{
	uint64_t nr = 0;

	vec_for_each(&turns.turns, turn)
		nr += turn->nr_samples;
	return nr;
}

START_TEST(one_meaning)
{
	map(0x1000, 1, 0, NEVER);
	ck_assert_int_eq(divide(10, 1024, 2048), 0);
	ck_assert_uint_eq(turns.turns.nr, 1);
	ck_assert_uint_eq(turns.turns.data[0].nr_samples, 10);
}
END_TEST

/* Each file has the part of the samples that its time is. */
START_TEST(shares_of_time)
{
	map(0x1000, 1, 0, 1024 + 250);
	map(0x1000, 2, 1024 + 250, 1024 + 500);
	map(0x1000, 1, 1024 + 500, 1024 + 600);
	map(0x1000, 3, 1024 + 600, NEVER);
	ck_assert_int_eq(divide(1002, 1024, 1024 + 1000), 0);
	ck_assert_uint_eq(sum(), 1002);
	ck_assert_uint_eq(samples_at(1024 + 250), 250);
	/* With the latest sample, and without a mapping none. */
	ck_assert_uint_eq(samples_at(1024 + 600), 401);
	/* Both times of file 1, and the first sample. */
	ck_assert_uint_eq(sum() - 250 - 401, 351);
}
END_TEST

/* The same file at another place of it is another meaning, and so is another frame. */
START_TEST(meanings)
{
	map(0x1000, 1, 0, 2048);
	memory.ended.data[0].pgoff = 0x1000;
	map(0x1000, 1, 2048, NEVER);
	stack.nr_frames = 2;
	map(0x2000, 1, 0, NEVER);
	ck_assert_int_eq(divide(102, 1024, 3072), 0);
	ck_assert_uint_eq(samples_at(2048), 51);
	ck_assert_uint_eq(sum(), 102);
	/* A larger mapping that has the same part of the file there is the same. */
	memory.ended.data[0].start = 0;
	memory.ended.data[0].pgoff = 0;
	memory.live.data[0].pgoff = 0x1000;
	ck_assert_int_eq(divide(102, 1024, 3072), 0);
	ck_assert_uint_eq(turns.turns.nr, 1);
}
END_TEST

/* Time in which a frame was not mapped counts for nobody. */
START_TEST(time_without_a_mapping)
{
	map(0x1000, 1, 0, 1024 + 100);
	map(0x1000, 2, 1024 + 900, NEVER);
	ck_assert_int_eq(divide(202, 1024, 1024 + 1000), 0);
	ck_assert_uint_eq(samples_at(1024 + 900), 101);
	ck_assert_uint_eq(samples_at(1024 + 100), 0);
	ck_assert_uint_eq(sum(), 202);
	/* Nor does time in which one of two was. */
	end();
	begin();
	stack.nr_frames = 2;
	map(0x1000, 1, 0, NEVER);
	map(0x2000, 2, 2000, NEVER);
	ck_assert_int_eq(divide(102, 1024, 3000), 0);
	ck_assert_uint_eq(samples_at(2000), 101);
	ck_assert_uint_eq(sum(), 102);
}
END_TEST

/* Mappings that end before the first sample, or begin after the latest one, are none of it. */
START_TEST(other_times)
{
	map(0x1000, 1, 0, 1024);
	map(0x1000, 2, 500, 1000);
	map(0x1000, 3, 1024, 3072);
	map(0x1000, 4, 2049, NEVER);
	ck_assert_int_eq(divide(10, 1024, 2048), 0);
	ck_assert_uint_eq(turns.turns.nr, 1);
	ck_assert_uint_eq(sum(), 10);
	/* One that begins with the latest sample has that one. */
	end();
	begin();
	map(0x1000, 1, 0, 2048);
	map(0x1000, 2, 2048, NEVER);
	ck_assert_int_eq(divide(10, 1024, 2048), 0);
	ck_assert_uint_eq(samples_at(2048), 1);
	ck_assert_int_eq(turns.turns.data[turns.turns.nr - 1].nr_mapped, 1);
	ck_assert_uint_eq(sum(), 10);
}
END_TEST

/* Addresses beside a mapping, and those just in it. Some frames are marked as exact. */
START_TEST(edges_of_mappings)
{
	static const struct {
		uint64_t addr;
		bool is_in;
	} cases[] = {{0x0fff, false},
		     {0x1000, true},
		     {0x1fff, true},
		     {0x2000, false},
		     {0x1000 | STACK_FRAME_EXACT, true}};

	map(0x1000, 1, 0, 2000);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		stack.frames = &cases[i].addr;
		ck_assert_int_eq(divide(102, 1024, 3000), 0);
		ck_assert_uint_eq(turns.turns.nr, cases[i].is_in ? 2 : 1);
		ck_assert_uint_eq(sum(), 102);
	}
}
END_TEST

/* Two samples, and no time between them. */
START_TEST(the_shortest_time)
{
	map(0x1000, 1, 0, NEVER);
	ck_assert_int_eq(divide(2, 1024, 1024), 0);
	ck_assert_uint_eq(sum(), 2);
	ck_assert_int_eq(divide(7, 1024, 1024), 0);
	ck_assert_uint_eq(sum(), 7);
	ck_assert_uint_eq(turns.turns.data[0].nr_samples, 7);
}
END_TEST

/* Where parts of samples are rounded to depends on the first time, so that many small counts add
 * up. */
START_TEST(rounding)
{
	uint64_t first = 0;

	map(0x1000, 1, 0, 1 << 21);
	map(0x1000, 2, 1 << 21, NEVER);
	for (uint64_t i = 0; i < 1024; i++) {
		ck_assert_int_eq(divide(3, (1 << 20) + i, (3 << 20) - i), 0);
		ck_assert_uint_eq(sum(), 3);
		first += samples_at((1 << 20) + i) - 1;
	}
	ck_assert_uint_ge(first, 510);
	ck_assert_uint_le(first, 514);
}
END_TEST

/* A stack of more meanings than are kept: the first ones, and the latest. */
START_TEST(many_meanings)
{
	for (uint32_t i = 0; i < 100; i++)
		map(0x1000, i, 1024 + 10 * i, 1024 + 10 * (i + 1));
	map(0x1000, 100, 1024 + 1000, NEVER);
	ck_assert_int_eq(divide(1002, 1024, 1024 + 1010), 0);
	ck_assert_uint_eq(turns.turns.nr, 65);
	ck_assert_uint_eq(sum(), 1002);
	ck_assert_uint_gt(samples_at(1024 + 630), 0);
	ck_assert_uint_eq(samples_at(1024 + 640), 0);
	ck_assert_uint_gt(samples_at(1024 + 1000), 1);
}
END_TEST

START_TEST(out_of_memory)
{
	for (uint32_t i = 0; i < 6; i++)
		map(0x1000, i, 1024 + 10 * i, 1024 + 10 * (i + 1));
	map(0x1000, 7, 1024 + 60, NEVER);
	oom_for_each_call(n)
	{
		ck_assert_int_eq(divide(10, 1024, 1024 + 100), oom_hit ? -ENOMEM : 0);
		turns_deinit(&turns);
		ck_assert_ptr_null(turns.changes.data);
		ck_assert_ptr_null(turns.turns.data);
	}
}
END_TEST

SUITE_MAIN_WITH("turns", begin, end, one_meaning, shares_of_time, meanings, time_without_a_mapping,
		other_times, edges_of_mappings, the_shortest_time, rounding, many_meanings,
		out_of_memory)
