// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/slots.h"

#include "tests/unit/random_world.h"
#include "tests/unit/suite.h"

#define S  UINT64_C(1000000000)
#define MS UINT64_C(1000000)

static struct model model;

static void begin(void)
{
	ck_assert_int_eq(model_init(&model), 0);
	model.keeps_slots = true;
}

static void end(void)
{
	model_deinit(&model);
}

/* An epoch of one row, with a hit in each of its slices. */
static void add_epoch(uint64_t begin_ns, uint64_t end_ns, uint64_t phase_ns, uint32_t nr)
{
	struct world w;

	world_init(&w);
	WORLD_COUNT(&w, 0, 0, 0, 0, nr ? nr : 1);
	w.epoch.begin_ns = begin_ns;
	w.epoch.end_ns = end_ns;
	w.epoch.slice_ns = nr ? S : 0;
	w.epoch.slice_phase_ns = phase_ns;
	for (uint32_t i = 0; i < nr; i++)
		WORLD_PUSH(&w, slices, {0, i, 1});
	ck_assert_int_eq(model_add_epoch(&model, world_epoch(&w)), 0);
	world_deinit(&w);
}

/* Slot @i is [@begin_ns, @end_ns) and has @count hits. */
static void expect(size_t i, uint64_t begin_ns, uint64_t end_ns, uint64_t count)
{
	uint64_t sum = 0;

	ck_assert_uint_lt(i, model.slots.nr);
	ck_assert_uint_eq(model.slots.data[i].begin_ns, begin_ns);
	ck_assert_uint_eq(model.slots.data[i].end_ns, end_ns);
	vec_for_each(&model.slot_counts, part)
		if (part->slot == i)
			sum += part->count;
	ck_assert_uint_eq(sum, count);
}

START_TEST(an_epoch_goes_on_with_a_slice)
{
	add_epoch(0, 1500 * MS, 0, 2);
	add_epoch(1500 * MS, 3 * S, 500 * MS, 2);
	ck_assert_uint_eq(model.slots.nr, 3);
	expect(0, 0, S, 1);
	expect(1, S, 2 * S, 2);
	expect(2, 2 * S, 3 * S, 1);
}
END_TEST

/* A drain can write several epochs of one stretch of time. */
START_TEST(epochs_of_one_time)
{
	add_epoch(5 * S, 7 * S, 0, 2);
	add_epoch(5 * S, 8 * S, 0, 3);
	ck_assert_uint_eq(model.slots.nr, 3);
	expect(0, 5 * S, 6 * S, 2);
	expect(1, 6 * S, 7 * S, 2);
	expect(2, 7 * S, 8 * S, 1);
}
END_TEST

/* A gap between epochs, and slices without hits. */
START_TEST(slots_without_hits)
{
	add_epoch(0, 3 * S, 0, 1);
	add_epoch(4 * S + 300 * MS, 5 * S, 300 * MS, 1);
	ck_assert_uint_eq(model.slots.nr, 4);
	expect(0, 0, S, 1);
	expect(1, S, 2 * S, 0);
	expect(2, 2 * S, 3 * S, 0);
	expect(3, 4 * S + 300 * MS, 5 * S, 1);
}
END_TEST

START_TEST(epochs_without_slices)
{
	add_epoch(0, 1500 * MS, 0, 2);
	add_epoch(1500 * MS, 3 * S, 0, 0);
	add_epoch(3 * S, 3 * S, 0, 0);
	ck_assert_uint_eq(model.slots.nr, 4);
	expect(2, 1500 * MS, 3 * S, 1);
	expect(3, 3 * S, 3 * S, 1);
	ck_assert_uint_eq(model.nr_sliced_epochs, 1);
}
END_TEST

/* All that rows have is in slots. */
START_TEST(random_epochs)
{
	struct random rng = {_i + 1};
	uint64_t *sums;

	for (int i = 0; i < 3; i++) {
		struct world w;

		world_random(&w, &rng, 60);
		ck_assert_int_eq(model_add_epoch(&model, world_epoch(&w)), 0);
		world_deinit(&w);
	}
	sums = calloc(model.rows.nr + 1, sizeof(*sums));
	ck_assert_ptr_nonnull(sums);
	vec_for_each(&model.slot_counts, part) {
		ck_assert_uint_lt(part->slot, model.slots.nr);
		sums[part->row] += part->count;
	}
	for (size_t i = 0; i < model.rows.nr; i++)
		ck_assert_uint_eq(sums[i], model.rows.data[i].count);
	vec_for_each(&model.slots, slot)
		ck_assert_uint_le(slot->begin_ns, slot->end_ns);
	free(sums);
}
END_TEST

SUITE_MAIN_LOOP_WITH("slots", begin, end, random_epochs, 50, an_epoch_goes_on_with_a_slice,
		     epochs_of_one_time, slots_without_hits, epochs_without_slices)
