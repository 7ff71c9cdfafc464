// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "common/clock.h"
#include "record/output/rotation.h"
#include "tests/unit/suite.h"

static void takes(const char *text, uint64_t seconds, uint64_t bytes)
{
	struct rotation rotation = {0};
	struct err err = {0};

	ck_assert_int_eq(rotation_parse(text, &rotation, &err), 0);
	ck_assert_uint_eq(rotation.time_ns, seconds * NS_PER_S);
	ck_assert_uint_eq(rotation.bytes, bytes);
	ck_assert_str_eq(err.text, "");
}

START_TEST(times_and_sizes)
{
	takes("1", 1, 0);
	takes("99999999", 99999999, 0);
	takes("90s", 90, 0);
	takes("1h", 3600, 0);
	takes("64m", 64 * 60, 0);
	takes("1K", 0, 1 << 10);
	takes("64M", 0, 64 << 20);
	takes("1.5MiB", 0, 3 << 19);
	takes("1048576G", 0, UINT64_C(1) << 50);
	takes("1073741824M", 0, UINT64_C(1) << 50);
}
END_TEST

static void refuses(const char *value, const char *text, const char *hint)
{
	struct rotation rotation = {0};
	struct err err = {0};

	ck_assert_int_eq(rotation_parse(value, &rotation, &err), -EINVAL);
	ck_assert_str_eq(err.text, text);
	ck_assert_str_eq(err.hint, hint);
	ck_assert_uint_eq(rotation.time_ns, 0);
	ck_assert_uint_eq(rotation.bytes, 0);
}

START_TEST(what_is_neither)
{
	static const char *const bad[] = {"", "K", "-1", "1,5", "1k", "1x", "1KM", "1 K", "+1M"};
	char text[128];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(text, sizeof(text), "option --rotate: '%s' is not a time or a size",
			 bad[i]);
		refuses(bad[i], text,
			"times are 3600, 60m, 1h; sizes are 64M, 1G (m is minutes, M is MiB)");
	}
}
END_TEST

START_TEST(what_is_out_of_range)
{
	static const char *const bad[] = {"0", "0K", "100000000", "1048577G",
					  "99999999999999999999K"};
	char text[128];

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(text, sizeof(text),
			 "option --rotate: %s is out of range (1s to 99999999s, 1K to 1048576G)",
			 bad[i]);
		refuses(bad[i], text, "");
	}
}
END_TEST

static void check_outputs(uint64_t keep, bool wanted, const char *output, const char *text)
{
	const struct rotation rotation = {.keep = keep};
	struct err err = {0};

	ck_assert_int_eq(rotation_check(&rotation, wanted, output, &err), text[0] ? -EINVAL : 0);
	ck_assert_str_eq(err.text, text);
}

START_TEST(names_of_their_own)
{
	check_outputs(0, false, "a.prof", "");
	check_outputs(0, false, "-", "");
	check_outputs(0, false, "%Y.prof", "");
	check_outputs(3, true, "%Y.prof", "");
	check_outputs(0, true, "a.prof", "option --rotate: 'a.prof' is the name of one file");
	check_outputs(3, false, "a.prof", "option --rotate-keep: 'a.prof' is the name of one file");
	check_outputs(0, true, "-", "option --rotate: not allowed with standard output");
	check_outputs(3, false, "-", "option --rotate-keep: not allowed with standard output");
	check_outputs(0, false, "a%", "option -o/--output: '%' in 'a%' cannot be replaced");
	check_outputs(0, true, "%D.prof",
		      "option -o/--output: '%D' in '%D.prof' cannot be replaced");
}
END_TEST

SUITE_MAIN("rotation", times_and_sizes, what_is_neither, what_is_out_of_range, names_of_their_own)
