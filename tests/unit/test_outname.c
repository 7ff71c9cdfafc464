// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "record/output/outname.h"
#include "tests/unit/suite.h"

START_TEST(patterns)
{
	ck_assert(!outname_is_pattern("a.prof"));
	ck_assert(outname_is_pattern("%Y.prof"));
	ck_assert(outname_is_pattern("100%%.prof"));
}
END_TEST

START_TEST(conversions)
{
	static const char *const bad[] = {"%",  "a%", "%Y%", "%q",  "%D", "%x",
					  "%n", "%t", "%c",  "%-d", "%Ey"};

	ck_assert_ptr_null(outname_find_bad("a.prof"));
	ck_assert_ptr_null(outname_find_bad("%%%Y%m%d-%H%M%S.%s%%"));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		ck_assert_ptr_eq(outname_find_bad(bad[i]), strrchr(bad[i], '%'));
	/* The second character of "%%" begins no conversion. */
	ck_assert_str_eq(outname_find_bad("%%D%D"), "%D");
}
END_TEST

static void expand(const char *pattern, time_t when, const char *want)
{
	char *name;

	ck_assert_int_eq(outname_expand(pattern, when, &name), 0);
	ck_assert_str_eq(name, want);
	free(name);
}

START_TEST(directories)
{
	ck_assert(!outname_has_pattern_dir("%Y.prof"));
	ck_assert(!outname_has_pattern_dir("d/%Y.prof"));
	ck_assert(!outname_has_pattern_dir("/%Y"));
	ck_assert(!outname_has_pattern_dir("-"));
	ck_assert(outname_has_pattern_dir("%Y/x.prof"));
	ck_assert(outname_has_pattern_dir("/d/%Y/%m.prof"));
	ck_assert(outname_has_pattern_dir("d%m/"));
}
END_TEST

START_TEST(names_are_of_local_time)
{
	setenv("TZ", "UTC", 1);
	tzset();
	expand("d/%Y%m%d-%H%M%S.prof", 1000000000, "d/20010909-014640.prof");
	expand("100%%", 0, "100%");
	setenv("TZ", "XXX-2", 1);
	tzset();
	expand("%H:%M", 0, "02:00");
}
END_TEST

START_TEST(names_that_are_too_long)
{
	static char pattern[5001];
	char *name = NULL;

	memset(pattern, 'x', sizeof(pattern) - 1);
	ck_assert_int_eq(outname_expand(pattern, 0, &name), -ENAMETOOLONG);
	ck_assert_ptr_null(name);
}
END_TEST

static void number(const char *name, unsigned int n, const char *want)
{
	char *numbered = outname_number(name, n);

	ck_assert_str_eq(numbered, want);
	free(numbered);
}

START_TEST(numbers_stand_before_the_extension)
{
	number("a.prof", 0, "a.prof");
	number("a.prof", 1, "a_1.prof");
	number("a.b.prof", 12, "a.b_12.prof");
	number("d.d/a", 1, "d.d/a_1");
	number("d/.a", 1, "d/.a_1");
	number("a", 9999, "a_9999");
}
END_TEST

SUITE_MAIN("outname", patterns, conversions, directories, names_are_of_local_time,
	   names_that_are_too_long, numbers_stand_before_the_extension)
