// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/libbpf.h>
#include <unistd.h>

#include "record/host/cpus.h"
#include "tests/unit/suite.h"

static void expect(const uint32_t *cpus, size_t nr, const char *want)
{
	u32_vec list = {0};
	char *text;

	ck_assert_int_eq(vec_append(&list, cpus, nr), 0);
	text = cpus_format(&list);
	ck_assert_str_eq(text, want);
	free(text);
	vec_free(&list);
}

#define EXPECT(want, ...)                                                                          \
	({                                                                                         \
		static const uint32_t _cpus[] = {__VA_ARGS__};                                     \
		expect(_cpus, ARRAY_SIZE(_cpus), want);                                            \
	})

START_TEST(format)
{
	expect(NULL, 0, "");
	EXPECT("0", 0);
	EXPECT("7", 7);
	EXPECT("0-1", 0, 1);
	EXPECT("0-3,7", 0, 1, 2, 3, 7);
	EXPECT("1,3,5", 1, 3, 5);
	EXPECT("0,2-3,5,8-10", 0, 2, 3, 5, 8, 9, 10);
	EXPECT("8190-8191", 8190, 8191);
}
END_TEST

/* The text of any set of ten CPUs is parsed into the same set. */
START_TEST(format_and_parse)
{
	for (uint32_t set = 1; set < 1024; set++) {
		u32_vec cpus = {0}, again = {0};
		char *text;

		for (uint32_t cpu = 0; cpu < 10; cpu++)
			if (set & 1u << cpu)
				ck_assert_int_eq(vec_push(&cpus, cpu), 0);
		text = cpus_format(&cpus);
		ck_assert_int_eq(parse_u32_list(text, 0, 9, true, &again), 0);
		ck_assert_uint_eq(again.nr, cpus.nr);
		ck_assert_mem_eq(again.data, cpus.data, cpus.nr * sizeof(*cpus.data));
		free(text);
		vec_free(&cpus);
		vec_free(&again);
	}
}
END_TEST

START_TEST(online)
{
	u32_vec cpus = {0}, possible = {0};
	struct err err = {0};

	ck_assert_int_eq(cpus_online(&cpus, &err), 0);
	ck_assert_uint_eq(cpus.nr, sysconf(_SC_NPROCESSORS_ONLN));
	for (size_t i = 1; i < cpus.nr; i++)
		ck_assert_uint_lt(cpus.data[i - 1], cpus.data[i]);
	ck_assert_int_eq(cpus_possible(&possible, &err), 0);
	ck_assert_int_eq(possible.nr, libbpf_num_possible_cpus());
	vec_for_each(&cpus, cpu)
		ck_assert(cpus_has(&possible, *cpu));
	vec_free(&possible);
	vec_free(&cpus);
}
END_TEST

static void expect_changes(const char *before, const char *now, const char *noted, const char *want)
{
	u32_vec a = {0}, b = {0}, changed = {0};
	char *text;

	ck_assert_int_eq(parse_u32_list(before, 0, 9, true, &a), 0);
	ck_assert_int_eq(parse_u32_list(now, 0, 9, true, &b), 0);
	if (noted[0])
		ck_assert_int_eq(parse_u32_list(noted, 0, 9, true, &changed), 0);
	ck_assert_int_eq(cpus_compare(&a, &b, &changed), 0);
	text = cpus_format(&changed);
	ck_assert_str_eq(text, want);
	free(text);
	vec_free(&a);
	vec_free(&b);
	vec_free(&changed);
}

START_TEST(changes)
{
	expect_changes("0-3", "0-3", "", "");
	expect_changes("0-3", "0-2", "", "3");
	expect_changes("0-3", "0-5", "", "4-5");
	expect_changes("0-3", "1-4", "", "0,4");
	/* A CPU that has changed once stays in the list. */
	expect_changes("0-3", "0-2", "3", "3");
	expect_changes("0-3", "0-3", "3", "3");
	expect_changes("0-3", "0-1", "3", "3,2");
}
END_TEST

START_TEST(has)
{
	u32_vec cpus = {0};
	size_t index = 7;

	ck_assert(!cpus_has(&cpus, 0));
	ck_assert_int_eq(parse_u32_list("1,4-5", 0, 9, true, &cpus), 0);
	for (uint32_t cpu = 0; cpu < 10; cpu++)
		ck_assert_int_eq(cpus_has(&cpus, cpu), cpu == 1 || cpu == 4 || cpu == 5);
	/* With gaps in the numbers, the number of a CPU differs from its place in the list. */
	ck_assert(cpus_find(&cpus, 5, &index));
	ck_assert_uint_eq(index, 2);
	ck_assert(!cpus_find(&cpus, 2, &index));
	ck_assert_uint_eq(index, 2);
	vec_free(&cpus);
}
END_TEST

SUITE_MAIN("cpus", format, format_and_parse, online, changes, has)
