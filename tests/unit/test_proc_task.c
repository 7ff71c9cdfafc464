// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/proc/proc_task.h"
#include "common/clock.h"
#include "tests/unit/suite.h"

/* A thread's name can hold text that looks like a key, but no newline: the kernel escapes it. */
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

START_TEST(processes)
{
	u32_vec pids = {0};
	bool is_listed = false;
	pid_t child;

	ck_assert_int_eq(proc_list(&pids, NULL), 0);
	vec_for_each(&pids, pid)
		is_listed |= *pid == (uint32_t)getpid();
	ck_assert(is_listed);
	vec_free(&pids);
	ck_assert(!proc_is_gone(getpid()));
	child = fork();
	if (!child)
		_exit(0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	ck_assert(proc_is_gone(child));
}
END_TEST

/* Says its id, and ends with the pipe. */
static void *run_thread(void *pipes)
{
	pid_t tid = syscall(SYS_gettid);
	char c;

	if (write(((int *)pipes)[1], &tid, sizeof(tid)) != sizeof(tid))
		return NULL;
	return read(((int *)pipes)[2], &c, 1) ? NULL : pipes;
}

START_TEST(threads)
{
	int pipes[4];
	pthread_t thread;
	pid_t tid;

	ck_assert(!proc_has_threads(getpid()));
	ck_assert_int_eq(pipe(pipes), 0);
	ck_assert_int_eq(pipe(pipes + 2), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, run_thread, pipes), 0);
	ck_assert_int_eq(read(pipes[0], &tid, sizeof(tid)), sizeof(tid));
	ck_assert(proc_has_threads(getpid()));
	close(pipes[3]);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	for (int i = 0; i < 3; i++)
		close(pipes[i]);
}
END_TEST

START_TEST(start_of_a_process)
{
	uint64_t start = 0, now = clock_boottime_ns();
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		pause();
		_exit(0);
	}
	ck_assert_int_eq(proc_start_ns(NULL, pid, &start), 0);
	/* In hundredths of a second. */
	ck_assert_uint_ge(start + NS_PER_S / 50, now);
	ck_assert_uint_le(start, clock_boottime_ns());
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(proc_start_ns(NULL, pid, &start), -ENOENT);
}
END_TEST

SUITE_MAIN("proc_task", numbers, no_numbers, ourselves, processes, threads, start_of_a_process)
