// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch_slices.h"

#include "tests/unit/suite.h"

#define MS UINT64_C(1000000)
#define S  (1000 * MS)

static struct epoch_slices slices;
static struct prof_epoch epoch;

static void begin(void)
{
	slices = (struct epoch_slices){.length_ns = S, .begin_ns = 100 * S};
	epoch = (struct prof_epoch){0};
}

static void end(void)
{
	vec_free(&slices.parts);
}

#define CHANGES(...)                                                                               \
	(const struct slice_change[]){__VA_ARGS__},                                                \
		sizeof((struct slice_change[]){__VA_ARGS__}) / sizeof(struct slice_change)

/* A count of @nr hits, the first at @first_ns. */
static struct raw_count make_count(uint64_t nr, uint64_t first_ns,
				   const struct slice_change *changes, size_t nr_changes)
{
	return (struct raw_count){.value = {.count = nr, .first_ns = first_ns},
				  .changes = changes,
				  .nr_changes = nr_changes};
}

static void add(uint32_t row, uint64_t nr)
{
	ck_assert_int_eq(epoch_slices_add(&slices, row, nr), 0);
}

static void lay_out(uint64_t begin_ns, uint64_t end_ns)
{
	epoch.begin_ns = begin_ns;
	epoch.end_ns = end_ns;
	epoch_slices_lay_out(&slices, &epoch);
}

static void expect(uint32_t i, uint32_t row, uint32_t slice, uint64_t count)
{
	ck_assert_uint_lt(i, epoch.nr_slices);
	ck_assert_uint_eq(epoch.slices[i].row, row);
	ck_assert_uint_eq(epoch.slices[i].slice, slice);
	ck_assert_uint_eq(epoch.slices[i].count, count);
}

START_TEST(hits_are_in_their_slices)
{
	const struct raw_count count = make_count(10, 105 * S + 1, CHANGES({3, 0, 6}, {8, 0, 9}));

	epoch_slices_begin_count(&slices, &count);
	add(0, 10);
	lay_out(104 * S + 300 * MS, 110 * S);
	ck_assert_uint_eq(epoch.nr_slices, 3);
	expect(0, 0, 1, 3);
	expect(1, 0, 2, 5);
	expect(2, 0, 5, 2);
	ck_assert_uint_eq(epoch.slice_ns, S);
	ck_assert_uint_eq(epoch.slice_phase_ns, 300 * MS);
}
END_TEST

/* Two CPUs noted slice 6, and one noted slice 7 when no hit had been added since. */
START_TEST(changes_at_one_moment)
{
	const struct raw_count count = make_count(
		10, 105 * S, CHANGES({3, 0, 6}, {4, 0, 6}, {4, 0, 7}, {4, 0, 7}, {9, 0, 8}));

	epoch_slices_begin_count(&slices, &count);
	add(0, 10);
	lay_out(100 * S, 110 * S);
	ck_assert_uint_eq(epoch.nr_slices, 4);
	expect(0, 0, 5, 3);
	expect(1, 0, 6, 1);
	expect(2, 0, 7, 5);
	expect(3, 0, 8, 1);
}
END_TEST

/* A count whose mappings changed becomes several rows, and a row can come from several counts. */
START_TEST(rows_share_counts)
{
	const struct raw_count count = make_count(10, 100 * S, CHANGES({4, 0, 1}, {8, 0, 2}));
	const struct raw_count other = make_count(2, 101 * S, NULL, 0);

	epoch_slices_begin_count(&slices, &count);
	add(1, 5);
	add(0, 5);
	epoch_slices_begin_count(&slices, &other);
	add(0, 2);
	lay_out(100 * S, 103 * S);
	ck_assert_uint_eq(epoch.nr_slices, 4);
	expect(0, 0, 1, 5);
	expect(1, 0, 2, 2);
	expect(2, 1, 0, 4);
	expect(3, 1, 1, 1);
}
END_TEST

/* Samples that are earlier or later than the epoch, or than the first slice. */
START_TEST(slices_beyond_the_epoch)
{
	const struct raw_count early = make_count(1, 99 * S, NULL, 0);
	const struct raw_count late = make_count(2, 109 * S, CHANGES({1, 0, 10}));

	epoch_slices_begin_count(&slices, &early);
	add(0, 1);
	epoch_slices_begin_count(&slices, &late);
	add(1, 2);
	lay_out(105 * S, 109 * S + 999 * MS);
	ck_assert_uint_eq(epoch.nr_slices, 2);
	expect(0, 0, 0, 1);
	expect(1, 1, 4, 2);
}
END_TEST

START_TEST(none_are_kept)
{
	const struct raw_count count = make_count(10, 105 * S, NULL, 0);

	slices.length_ns = 0;
	epoch_slices_begin_count(&slices, &count);
	add(0, 10);
	lay_out(100 * S, 110 * S);
	ck_assert_uint_eq(epoch.nr_slices, 0);
	ck_assert_uint_eq(epoch.slice_ns, 0);
}
END_TEST

SUITE_MAIN_WITH("epoch_slices", begin, end, hits_are_in_their_slices, changes_at_one_moment,
		rows_share_counts, slices_beyond_the_epoch, none_are_kept)
