// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/host/exits.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

/* No process has this id, which is above PID_MAX_LIMIT. */
#define NO_PID 5000001u

static struct exits exits;
static u32_vec pids;

static void begin(void)
{
	exits = (struct exits){0};
}

static void end(void)
{
	exits_deinit(&exits);
	ck_assert_ptr_null(exits.pidfds.data);
	vec_free(&pids);
}

static void add_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(vec_push(&pids, (uint32_t)pid), 0);
}

/* Returns when the child has ended. Its id stays. */
static void end_child(uint32_t pid)
{
	siginfo_t info;

	ck_assert_int_eq(kill((pid_t)pid, SIGKILL), 0);
	ck_assert_int_eq(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
}

START_TEST(all_of_them_must_end)
{
	int first;

	for (int i = 0; i < 3; i++)
		add_child();
	ck_assert_int_eq(exits_init(&exits, &pids), 0);
	ck_assert_uint_eq(exits.pidfds.nr, 3);
	first = exits.pidfds.data[0];
	ck_assert(!exits_are_over(&exits));
	end_child(pids.data[0]);
	ck_assert(!exits_are_over(&exits));
	ck_assert_uint_eq(exits.pidfds.nr, 2);
	ck_assert_int_lt(fcntl(first, F_GETFD), 0);
	end_child(pids.data[2]);
	ck_assert(!exits_are_over(&exits));
	end_child(pids.data[1]);
	ck_assert(exits_are_over(&exits));
	ck_assert(exits_are_over(&exits));
}
END_TEST

START_TEST(nobody_to_wait_for)
{
	ck_assert_int_eq(exits_init(&exits, &pids), 0);
	ck_assert(!exits_are_over(&exits));
}
END_TEST

START_TEST(processes_that_had_ended)
{
	ck_assert_int_eq(vec_push(&pids, NO_PID), 0);
	ck_assert_int_eq(exits_init(&exits, &pids), 0);
	ck_assert_uint_eq(exits.pidfds.nr, 0);
	ck_assert(exits_are_over(&exits));
}
END_TEST

/* If one of them cannot be watched, the recording goes on until somebody ends it. */
START_TEST(a_process_that_cannot_be_watched)
{
	int watched;

	add_child();
	ck_assert_int_eq(vec_push(&pids, 0), 0);
	watched = dup(STDERR_FILENO);
	close(watched);
	ck_assert_int_eq(exits_init(&exits, &pids), 0);
	ck_assert_uint_eq(exits.pidfds.nr, 0);
	ck_assert_int_lt(fcntl(watched, F_GETFD), 0);
	end_child(pids.data[0]);
	ck_assert(!exits_are_over(&exits));
}
END_TEST

START_TEST(out_of_memory)
{
	add_child();
	oom_for_each_call(n)
	{
		ck_assert_int_eq(exits_init(&exits, &pids), oom_hit ? -ENOMEM : 0);
		exits_deinit(&exits);
	}
	end_child(pids.data[0]);
}
END_TEST

SUITE_MAIN_WITH("exits", begin, end, all_of_them_must_end, nobody_to_wait_for,
		processes_that_had_ended, a_process_that_cannot_be_watched, out_of_memory)
