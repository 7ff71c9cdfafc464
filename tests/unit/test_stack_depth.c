// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/system/stack_depth.h"

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

START_TEST(depths)
{
	struct err err = {0};
	uint32_t depth = 0;

	ck_assert_int_eq(stack_depth_choose(0, 127, &depth, &err), 0);
	ck_assert_uint_eq(depth, 127);
	ck_assert_int_eq(stack_depth_choose(0, 1024, &depth, &err), 0);
	ck_assert_uint_eq(depth, 127);
	ck_assert_int_eq(stack_depth_choose(0, 64, &depth, &err), 0);
	ck_assert_uint_eq(depth, 64);
	ck_assert_int_eq(stack_depth_choose(0, 0, &depth, &err), 0);
	ck_assert_uint_eq(depth, 1);
	ck_assert_int_eq(stack_depth_choose(1024, 1024, &depth, &err), 0);
	ck_assert_uint_eq(depth, 1024);
	ck_assert_int_eq(stack_depth_choose(128, 127, &depth, &err), -E2BIG);
	ck_assert_str_eq(
		err.text,
		"failed to record stacks of 128 frames: kernel.perf_event_max_stack allows 127");
	ck_assert_str_eq(err.hint, "sysctl kernel.perf_event_max_stack=128");
	ck_assert_uint_eq(depth, 1024);
}
END_TEST

SUITE_MAIN("stack_depth", limit_of_this_kernel, depths)
