// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/host/stack_depth.h"

#include <errno.h>

#include "common/readfile.h"
#include "tests/unit/suite.h"

START_TEST(limit_of_this_kernel)
{
	char_vec text = {0};

	ck_assert_int_eq(read_file("/proc/sys/kernel/perf_event_max_stack", 64, &text), 0);
	ck_assert_uint_eq(stack_depth_limit(), strtoul(text.data, NULL, 10));
	vec_free(&text);
}
END_TEST

START_TEST(depths_of_the_helper)
{
	struct stack_depth depth = {0};
	struct err err = {0};

	ck_assert_int_eq(stack_depth_choose(0, 127, false, &depth, &err), 0);
	ck_assert_uint_eq(depth.most, 127);
	ck_assert_int_eq(stack_depth_choose(0, 1024, false, &depth, &err), 0);
	ck_assert_uint_eq(depth.most, 127);
	ck_assert_int_eq(stack_depth_choose(0, 64, false, &depth, &err), 0);
	ck_assert_uint_eq(depth.most, 64);
	ck_assert_int_eq(stack_depth_choose(0, 0, false, &depth, &err), 0);
	ck_assert_uint_eq(depth.most, 1);
	ck_assert_int_eq(stack_depth_choose(1024, 1024, false, &depth, &err), 0);
	ck_assert_uint_eq(depth.most, 1024);
	ck_assert_uint_eq(depth.of_helper, 1024);
	ck_assert_int_eq(stack_depth_choose(128, 127, false, &depth, &err), -E2BIG);
	ck_assert_str_eq(
		err.text,
		"failed to record stacks of 128 frames: kernel.perf_event_max_stack allows 127");
	ck_assert_str_eq(err.hint, "sysctl kernel.perf_event_max_stack=128");
	ck_assert_uint_eq(depth.most, 1024);
}
END_TEST

START_TEST(depths_by_tables)
{
	struct stack_depth depth = {0};
	struct err err = {0};

	ck_assert_int_eq(stack_depth_choose(0, 127, true, &depth, &err), 0);
	ck_assert_uint_eq(depth.most, 1024);
	ck_assert_uint_eq(depth.of_helper, 127);
	ck_assert_int_eq(stack_depth_choose(0, 0, true, &depth, &err), 0);
	ck_assert_uint_eq(depth.most, 1024);
	ck_assert_uint_eq(depth.of_helper, 1);
	ck_assert_int_eq(stack_depth_choose(16, 127, true, &depth, &err), 0);
	ck_assert_uint_eq(depth.most, 16);
	ck_assert_uint_eq(depth.of_helper, 16);
	ck_assert_int_eq(stack_depth_choose(2000, 127, true, &depth, &err), 0);
	ck_assert_uint_eq(depth.most, 2000);
	ck_assert_uint_eq(depth.of_helper, 127);
}
END_TEST

SUITE_MAIN("stack_depth", limit_of_this_kernel, depths_of_the_helper, depths_by_tables)
