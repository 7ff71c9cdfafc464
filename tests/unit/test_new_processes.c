// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/new_processes.h"

#include <sys/prctl.h>
#include <unistd.h>

#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

/* Above PID_MAX_LIMIT: no process has this id. */
#define PID_NONE 5000001u

static bool is_gone(uint32_t pid)
{
	(void)pid;
	return true;
}

/* Lets @pid begin at @time_ns, and notes it. Returns 0 or -ENOMEM. */
static int try_begin(struct new_processes *new_processes, struct address_spaces *spaces,
		     uint32_t pid, uint64_t time_ns)
{
	int ret = address_spaces_exec(spaces, pid, time_ns);

	return ret ? ret
		   : new_processes_add(new_processes, address_spaces_find(spaces, pid, time_ns));
}

static const struct address_space *begin(struct new_processes *new_processes,
					 struct address_spaces *spaces, uint32_t pid,
					 uint64_t time_ns)
{
	ck_assert_int_eq(try_begin(new_processes, spaces, pid, time_ns), 0);
	return address_spaces_find(spaces, pid, time_ns);
}

static void read_all(struct new_processes *new_processes, const struct address_spaces *spaces)
{
	ck_assert_int_eq(new_processes_read(new_processes, spaces), 0);
	ck_assert_uint_eq(new_processes->waiting.nr, 0);
}

START_TEST(a_process_that_lives)
{
	struct new_processes new_processes = {0};
	struct address_spaces spaces = {0};
	const struct address_space *space, *other;
	const struct proc_info *info;

	ck_assert_int_eq(prctl(PR_SET_NAME, "newcomer"), 0);
	space = begin(&new_processes, &spaces, getpid(), 100);
	other = begin(&new_processes, &spaces, PID_NONE, 100);
	ck_assert_ptr_null(new_processes_find(&new_processes, space));
	read_all(&new_processes, &spaces);
	info = new_processes_find(&new_processes, space);
	ck_assert_ptr_nonnull(info);
	ck_assert_str_eq(info->identity.name, "newcomer");
	ck_assert_uint_eq(info->identity.uid, geteuid());
	ck_assert_ptr_null(new_processes_find(&new_processes, other));
	new_processes_deinit(&new_processes);
	address_spaces_deinit(&spaces);
}
END_TEST

/* /proc says nothing of an address space that an exec has replaced, or whose process has ended. */
START_TEST(what_is_too_late)
{
	struct new_processes new_processes = {0};
	struct address_spaces spaces = {0};
	const struct address_space *before, *after;

	before = begin(&new_processes, &spaces, getpid(), 100);
	after = begin(&new_processes, &spaces, getpid(), 200);
	read_all(&new_processes, &spaces);
	ck_assert_ptr_null(new_processes_find(&new_processes, before));
	ck_assert_ptr_nonnull(new_processes_find(&new_processes, after));
	after = begin(&new_processes, &spaces, getpid(), 300);
	address_spaces_exit(&spaces, getpid(), 400);
	read_all(&new_processes, &spaces);
	ck_assert_ptr_null(new_processes_find(&new_processes, after));
	new_processes_deinit(&new_processes);
	address_spaces_deinit(&spaces);
}
END_TEST

START_TEST(kept_as_long_as_the_address_space)
{
	struct new_processes new_processes = {0};
	struct address_spaces spaces = {0};
	const struct address_space *older = begin(&new_processes, &spaces, getpid(), 100), *newer;

	read_all(&new_processes, &spaces);
	newer = begin(&new_processes, &spaces, getpid(), 200);
	read_all(&new_processes, &spaces);
	ck_assert_int_eq(address_spaces_forget(&spaces, 150, is_gone), 0);
	ck_assert_int_eq(new_processes_forget(&new_processes, &spaces), 0);
	ck_assert_ptr_nonnull(new_processes_find(&new_processes, older));
	ck_assert_ptr_nonnull(new_processes_find(&new_processes, newer));
	ck_assert_int_eq(address_spaces_forget(&spaces, 250, is_gone), 0);
	ck_assert_int_eq(new_processes_forget(&new_processes, &spaces), 0);
	ck_assert_uint_eq(new_processes.known.nr, 1);
	ck_assert_ptr_nonnull(new_processes_find(&new_processes, newer));
	address_spaces_exit(&spaces, getpid(), 300);
	ck_assert_int_eq(address_spaces_forget(&spaces, 350, is_gone), 0);
	ck_assert_int_eq(new_processes_forget(&new_processes, &spaces), 0);
	ck_assert_uint_eq(new_processes.known.nr, 0);
	new_processes_deinit(&new_processes);
	address_spaces_deinit(&spaces);
}
END_TEST

START_TEST(out_of_memory)
{
	oom_for_each_call(n)
	{
		struct new_processes new_processes = {0};
		struct address_spaces spaces = {0};
		int ret = 0;

		for (uint64_t i = 1; !ret && i < 10; i++) {
			ret = try_begin(&new_processes, &spaces, getpid(), i);
			if (!ret)
				ret = new_processes_read(&new_processes, &spaces);
		}
		if (!ret)
			ret = address_spaces_forget(&spaces, 5, is_gone);
		if (!ret)
			ret = new_processes_forget(&new_processes, &spaces);
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		new_processes_deinit(&new_processes);
		address_spaces_deinit(&spaces);
	}
}
END_TEST

SUITE_MAIN("new_processes", a_process_that_lives, what_is_too_late,
	   kept_as_long_as_the_address_space, out_of_memory)
