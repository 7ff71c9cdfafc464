// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/proc/proc_status.h"
#include "record/system/stack_depth.h"
#include "tests/unit/suite.h"

/* A thread's name can hold what looks like a key, but no newline: the kernel escapes it. */
static const char status[] = "Name:\tTgid: 7\\nTgid:\t8\nUmask:\t0022\nTgid:\t4194304\nPid:\t12\n"
			     "PPid:\t0\nUid:\t0\t0\t0\t0\nNgid:\t\nBig:\t4294967296\n"
			     "Long:\t00000000000000000000000000001\nLast:\t9";

START_TEST(numbers)
{
	uint32_t v = 1;

	ck_assert_int_eq(proc_status_number(status, "Tgid:", &v), 0);
	ck_assert_uint_eq(v, 4194304);
	ck_assert_int_eq(proc_status_number(status, "PPid:", &v), 0);
	ck_assert_uint_eq(v, 0);
	ck_assert_int_eq(proc_status_number(status, "Last:", &v), 0);
	ck_assert_uint_eq(v, 9);
	ck_assert_int_eq(proc_status_number("Tgid:\t5", "Tgid:", &v), 0);
	ck_assert_uint_eq(v, 5);
}
END_TEST

START_TEST(no_numbers)
{
	static const char *const keys[] = {"None:", "gid:", "Uid:", "Ngid:", "Big:", "Long:"};
	uint32_t v = 7;

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		ck_assert_msg(proc_status_number(status, keys[i], &v) == -EINVAL, "%s", keys[i]);
	ck_assert_int_eq(proc_status_number("", "Tgid:", &v), -EINVAL);
	ck_assert_uint_eq(v, 7);
}
END_TEST

START_TEST(ourselves)
{
	uint32_t v;

	ck_assert_int_eq(proc_tgid(syscall(SYS_gettid), &v), 0);
	ck_assert_uint_eq(v, getpid());
	ck_assert_int_eq(proc_parent(getpid(), &v), 0);
	ck_assert_uint_eq(v, getppid());
	ck_assert_int_eq(proc_tgid(5000000, &v), -ENOENT);
}
END_TEST

START_TEST(depths)
{
	struct err err = {0};
	uint32_t depth = 0;

	ck_assert_uint_ge(stack_depth_limit(), 1);
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

SUITE_MAIN("proc_status", numbers, no_numbers, ourselves, depths)
