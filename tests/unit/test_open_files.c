// SPDX-License-Identifier: GPL-2.0-or-later
/* Limits of this process, which may be lowered without privileges. */
#include "record/host/open_files.h"

#include <errno.h>
#include <sys/resource.h>

#include "tests/unit/suite.h"

static void set_limit(rlim_t soft, rlim_t hard)
{
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){soft, hard}), 0);
}

static void expect_limit(rlim_t soft, rlim_t hard)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_uint_eq(limit.rlim_cur, soft);
	ck_assert_uint_eq(limit.rlim_max, hard);
}

START_TEST(children_get_the_limit_back)
{
	set_limit(100, 200);
	open_files_restore(); /* nothing was raised */
	expect_limit(100, 200);
	open_files_raise();
	expect_limit(200, 200);
	open_files_restore();
	expect_limit(100, 200);
}
END_TEST

START_TEST(few_files)
{
	set_limit(64, 256);
	ck_assert(!open_files_are_few());
	set_limit(64, 255);
	ck_assert(open_files_are_few());
}
END_TEST

START_TEST(why_there_are_no_more)
{
	static const struct {
		int code;
		const char *hint;
	} cases[] = {
		{-ENFILE, "the host has no more open files: raise fs.file-max"},
		{-EMFILE,
		 "raise the hard limit of open files, 200 (ulimit -n, LimitNOFILE= in a unit of systemd)"},
		{-EIO, ""},
	};

	set_limit(100, 200);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = {0};

		ck_assert_int_eq(open_files_explain(cases[i].code, &err), cases[i].code);
		ck_assert_str_eq(err.hint, cases[i].hint);
	}
}
END_TEST

START_TEST(what_is_known_better_stays)
{
	struct err err = {.hint = "take fewer"};

	ck_assert_int_eq(open_files_explain(-EMFILE, &err), -EMFILE);
	ck_assert_str_eq(err.hint, "take fewer");
}
END_TEST

SUITE_MAIN("open_files", children_get_the_limit_back, few_files, why_there_are_no_more,
	   what_is_known_better_stays)
