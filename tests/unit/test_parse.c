// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/parse.h"
#include "tests/unit/suite.h"

START_TEST(numbers)
{
	uint64_t v = 7;

	ck_assert_int_eq(parse_u64("0", 0, 10, &v), 0);
	ck_assert_uint_eq(v, 0);
	ck_assert_int_eq(parse_u64("18446744073709551615", 0, UINT64_MAX, &v), 0);
	ck_assert_uint_eq(v, UINT64_MAX);
}
END_TEST

START_TEST(no_numbers)
{
	static const char *const bad[] = {"", " 1", "1 ", "-1", "+1", "0x10", "1k", "1.5", "a"};
	uint64_t v = 7;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_int_eq(parse_u64(bad[i], 0, UINT64_MAX, &v), -EINVAL);
	ck_assert_uint_eq(v, 7);
}
END_TEST

START_TEST(out_of_range)
{
	uint64_t v = 7;

	ck_assert_int_eq(parse_u64("0", 1, 10, &v), -ERANGE);
	ck_assert_int_eq(parse_u64("11", 1, 10, &v), -ERANGE);
	ck_assert_int_eq(parse_u64("18446744073709551616", 0, UINT64_MAX, &v), -ERANGE);
	ck_assert_uint_eq(v, 7);
}
END_TEST

START_TEST(sizes)
{
	static const char *const bad[] = {"",    "K",   "k",  "1k", "1KB",  " 1K", "-1K",
					  "1.M", ".5M", "KK", "1m", "1.5x", "1 K"};
	uint64_t v = 7;

	for (size_t n = 0; n < ARRAY_SIZE(bad); n++)
		ck_assert_int_eq(parse_size(bad[n], 0, UINT64_MAX, &v), -EINVAL);
	ck_assert_int_eq(parse_size("1K", 1025, UINT64_MAX, &v), -ERANGE);
	ck_assert_int_eq(parse_size("1M", 0, (1 << 20) - 1, &v), -ERANGE);
	ck_assert_int_eq(parse_size("17179869184G", 0, UINT64_MAX, &v), -ERANGE);
	ck_assert_int_eq(parse_size("99999999999999999999", 0, UINT64_MAX, &v), -ERANGE);
	ck_assert_uint_eq(v, 7);
	ck_assert_int_eq(parse_size("0", 0, UINT64_MAX, &v), 0);
	ck_assert_uint_eq(v, 0);
	ck_assert_int_eq(parse_size("3K", 3072, 3072, &v), 0);
	ck_assert_uint_eq(v, 3072);
	ck_assert_int_eq(parse_size("1.5MiB", 0, UINT64_MAX, &v), 0);
	ck_assert_uint_eq(v, 3 << 19);
	ck_assert_int_eq(parse_size("2T", 0, UINT64_MAX, &v), 0);
	ck_assert_uint_eq(v, UINT64_C(2) << 40);
	ck_assert_int_eq(parse_size("17179869183G", 0, UINT64_MAX, &v), 0);
	ck_assert_uint_eq(v, UINT64_C(17179869183) << 30);
}
END_TEST

START_TEST(durations)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} rows[] = {
		{"30", 30 * NS_PER_S},
		{"30s", 30 * NS_PER_S},
		{"1.5", 1500 * NS_PER_MS},
		{"500ms", NS_PER_S / 2},
		{"2m", 120 * NS_PER_S},
		{"1h", 3600 * NS_PER_S},
		{"0.5d", 43200 * NS_PER_S},
		{"7us", 7000},
		{"12ns", 12},
		{"0", 0},
		{"0.1234567899", 123456789},
		{"0.00000000000000000000000000001", 0},
	};
	static const char *const bad[] = {"",   "s",  "1.",   "1.s",   ".5",  "-1",  "+1", "1 s",
					  "1S", "1M", "1sec", "1m30s", "0x1", "1e3", "inf"};
	uint64_t v = 7;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		ck_assert_int_eq(parse_duration(rows[i].text, 0, UINT64_MAX, &v), 0);
		ck_assert_uint_eq(v, rows[i].ns);
	}
	v = 7;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_int_eq(parse_duration(bad[i], 0, UINT64_MAX, &v), -EINVAL);
	ck_assert_int_eq(parse_duration("999ms", NS_PER_S, 2 * NS_PER_S, &v), -ERANGE);
	ck_assert_int_eq(parse_duration("2.1s", NS_PER_S, 2 * NS_PER_S, &v), -ERANGE);
	ck_assert_int_eq(parse_duration("18446744074", 0, UINT64_MAX, &v), -ERANGE);
	ck_assert_int_eq(parse_duration("99999999999999999999", 0, UINT64_MAX, &v), -ERANGE);
	ck_assert_int_eq(parse_duration("99999999999999999999x", 0, UINT64_MAX, &v), -EINVAL);
	ck_assert_uint_eq(v, 7);
}
END_TEST

static void expect_list(const char *s, bool ranges, const uint32_t *want, size_t nr)
{
	u32_vec list = {0};

	ck_assert_int_eq(parse_u32_list(s, 0, 100, ranges, &list), 0);
	ck_assert_uint_eq(list.nr, nr);
	ck_assert_mem_eq(list.data, want, nr * sizeof(*want));
	vec_free(&list);
}

START_TEST(lists)
{
	expect_list("5", false, (uint32_t[]){5}, 1);
	expect_list("5,1,5,2", false, (uint32_t[]){5, 1, 2}, 3);
	expect_list("0-2,7,1", true, (uint32_t[]){0, 1, 2, 7}, 4);
	expect_list("3-3", true, (uint32_t[]){3}, 1);
}
END_TEST

/* As many as a command line can hold, within a moment. */
START_TEST(long_lists)
{
	size_t size = 8 << 20, n = 0;
	char *text = malloc(size);
	u32_vec list = {0};

	ck_assert_ptr_nonnull(text);
	for (uint32_t i = 0; i < 300000; i++)
		n += snprintf(text + n, size - n, "%s%u,%u", i ? "," : "", 3900000 + i,
			      4200000 - i);
	for (int again = 0; again < 2; again++) {
		ck_assert_int_eq(parse_u32_list(text, 1, 4200000, false, &list), 0);
		/* Those between 3,900,001 and 4,199,999 come from both ends. */
		ck_assert_uint_eq(list.nr, 300001);
		ck_assert_uint_eq(list.data[0], 3900000);
		ck_assert_uint_eq(list.data[1], 4200000);
	}
	vec_free(&list);
	free(text);
}
END_TEST

START_TEST(bad_lists)
{
	static const char *const bad[] = {"", ",", "1,", ",1", "1,,2", "1;2", "a", "1-"};
	u32_vec list = {0};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_int_eq(parse_u32_list(bad[i], 0, 100, true, &list), -EINVAL);
	ck_assert_int_eq(parse_u32_list("1-2", 0, 100, false, &list), -EINVAL);
	ck_assert_int_eq(parse_u32_list("101", 0, 100, true, &list), -ERANGE);
	ck_assert_int_eq(parse_u32_list("5-4", 0, 100, true, &list), -ERANGE);
	ck_assert_int_eq(parse_u32_list("1-4294967296", 0, 100, true, &list), -ERANGE);
	vec_free(&list);
}
END_TEST

START_TEST(decimals)
{
	static const char *const bad[] = {"",     ".5",  "5.",  "-1",  "+1",
					  "0x10", "inf", "nan", "1e3", " 1"};
	double_vec list = {0};
	double v = 7;

	ck_assert_int_eq(parse_decimal("12.25", 0, 100, &v), 0);
	ck_assert_double_eq_tol(v, 12.25, 1e-12);
	ck_assert_int_eq(parse_decimal("100", 0, 100, &v), 0);
	ck_assert_int_eq(parse_decimal("100.1", 0, 100, &v), -ERANGE);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_msg(parse_decimal(bad[i], 0, 100, &v) == -EINVAL, "'%s'", bad[i]);
	ck_assert_double_eq_tol(v, 100, 1e-12);
	ck_assert_int_eq(parse_percent("2.5%", 0, 100, &v), 0);
	ck_assert_double_eq_tol(v, 2.5, 1e-12);
	ck_assert_int_eq(parse_percent("3", 0, 100, &v), 0);
	for (size_t i = 0; i < 3; i++)
		ck_assert_int_eq(parse_percent((const char *[]){"%", "5%%", "5 %"}[i], 0, 100, &v),
				 -EINVAL);
	ck_assert_double_eq_tol(v, 3, 1e-12);
	ck_assert_int_eq(parse_decimals("1,2.5,3", 0, 100, &list), 0);
	ck_assert_uint_eq(list.nr, 3);
	ck_assert_double_eq_tol(list.data[1], 2.5, 1e-12);
	ck_assert_int_eq(parse_decimals("1,", 0, 100, &list), -EINVAL);
	ck_assert_int_eq(parse_decimals("1;2", 0, 100, &list), -EINVAL);
	ck_assert_int_eq(parse_decimals("1,200", 0, 100, &list), -ERANGE);
	vec_free(&list);
}
END_TEST

START_TEST(hexadecimal)
{
	char text[] = "ffffffffC0a3d00f T", none[] = "xyz", *end;

	ck_assert_uint_eq(parse_hex(text, &end), 0xffffffffc0a3d00f);
	ck_assert_ptr_eq(end, text + 16);
	ck_assert_uint_eq(parse_hex(none, &end), 0);
	ck_assert_ptr_eq(end, none);
}
END_TEST

SUITE_MAIN("parse", durations, numbers, no_numbers, out_of_range, sizes, lists, long_lists,
	   bad_lists, decimals, hexadecimal)
