// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/ranges.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

static struct range make(const char *name, uint64_t start, uint64_t size, uint8_t binding)
{
	return (struct range){start, size, name, strlen(name), binding};
}

static void expect(const struct range *ranges, size_t nr, uint64_t addr, const char *want)
{
	struct range copy[16];
	struct range_hit hit = {.addr = addr};

	memcpy(copy, ranges, nr * sizeof(*ranges));
	ck_assert_int_eq(ranges_resolve(copy, nr, &hit, 1), 0);
	if (want)
		ck_assert_str_eq(hit.range->name, want);
	else
		ck_assert_ptr_null(hit.range);
}

START_TEST(edges)
{
	const struct range r[] = {make("a", 10, 5, 0), make("b", 15, 5, 0), make("top", -4, 4, 0)};

	expect(r, 3, 9, NULL);
	expect(r, 3, 10, "a");
	expect(r, 3, 14, "a");
	expect(r, 3, 15, "b");
	expect(r, 3, 20, NULL);
	expect(r, 3, UINT64_MAX, "top");
	expect(r, 0, 10, NULL);
}
END_TEST

START_TEST(nested_and_overlapping)
{
	const struct range r[] = {make("outer", 0, 100, 0), make("inner", 10, 10, 0),
				  make("across", 90, 20, 0), make("small", 10, 5, 0)};

	expect(r, 4, 5, "outer");
	expect(r, 4, 12, "small");
	expect(r, 4, 17, "inner");
	expect(r, 4, 20, "outer");
	expect(r, 4, 95, "across");
	expect(r, 4, 105, "across");
}
END_TEST

START_TEST(aliases)
{
	const struct range binding[] = {make("a", 0, 9, RANGE_LOCAL), make("b", 0, 9, RANGE_WEAK),
					make("__c", 0, 9, RANGE_GLOBAL)};
	const struct range names[] = {make("__read", 0, 9, 0), make("_read", 0, 9, 0),
				      make("reads", 0, 9, 0), make("read", 0, 9, 0),
				      make("reae", 0, 9, 0)};
	const struct range lengths[] = {make("_a", 0, 9, 0), make("longer", 0, 9, 0)};

	expect(lengths, 2, 1, "longer");
	expect(binding, 3, 1, "__c");
	expect(binding, 2, 1, "b");
	expect(names, 5, 1, "read");
	expect(names, 2, 1, "_read");
}
END_TEST

/* The sweep finds the ranges that a search through all ranges finds. */
START_TEST(random_ranges)
{
	struct random rng = {.state = 1};

	for (int round = 0; round < 300; round++) {
		struct range ranges[60];
		struct range_hit hits[100];
		size_t nr = random_below(&rng, 60);

		for (size_t i = 0; i < nr; i++)
			ranges[i] = make("x", random_below(&rng, 100), random_below(&rng, 40), 0);
		for (size_t i = 0; i < 100; i++)
			hits[i] = (struct range_hit){.addr = random_below(&rng, 160), .tag = i};
		range_hits_sort(hits, 100);
		ck_assert_int_eq(ranges_resolve(ranges, nr, hits, 100), 0);
		for (size_t i = 0; i < 100; i++) {
			const struct range *best = NULL;

			for (size_t j = 0; j < nr; j++) {
				const struct range *r = &ranges[j];

				if (hits[i].addr < r->start || hits[i].addr - r->start >= r->size)
					continue;
				if (!best || r->start > best->start ||
				    (r->start == best->start && r->size < best->size))
					best = r;
			}
			ck_assert_int_eq(!best, !hits[i].range);
			if (best) {
				ck_assert_uint_eq(best->start, hits[i].range->start);
				ck_assert_uint_eq(best->size, hits[i].range->size);
			}
		}
	}
}
END_TEST

SUITE_MAIN("ranges", edges, nested_and_overlapping, aliases, random_ranges)
