// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/sampling/bpf/filters.h"
#include "tests/unit/heap.h"
#include "tests/unit/suite.h"

/* No process has this id, which is above PID_MAX_LIMIT. */
#define NO_PID 5000001u

static u32_vec pids, tids;
static struct filter_options options;
static struct filters filters;
static struct err err;

static void begin(void)
{
	enter_new_dir();
	options = (struct filter_options){.pids = &pids, .tids = &tids, .uid = FILTERS_ANY_UID};
}

static void end(void)
{
	filters_close(&filters);
	filters_close(&filters); /* closed before: no effect */
	vec_free(&pids);
	vec_free(&tids);
}

static void open_filters(void)
{
	ck_assert_msg(!filters_open(&filters, &options, &err), "%s", err.text);
}

static void expect_refused(int code, const char *text, const char *hint)
{
	ck_assert_int_eq(filters_open(&filters, &options, &err), code);
	ck_assert_str_eq(err.text, text);
	ck_assert_str_eq(err.hint, hint);
}

static void expect_format(const char *want)
{
	char *text = filters_format(&filters);

	ck_assert_str_eq(text, want);
	free(text);
}

START_TEST(none)
{
	open_filters();
	ck_assert_uint_eq(filters.ids->nr, 0);
	ck_assert(!filters.follow);
	ck_assert_uint_eq(filters.scan.nr, 0);
	ck_assert_int_eq(filters.cgroup_fd, -1);
	ck_assert_int_eq(filters.cgroup_map_fd, -1);
	ck_assert_int_eq(filters.mntns_map_fd, -1);
	expect_format("");
}
END_TEST

/* The mappings of a process are wanted, but if it is followed, those of all processes. */
START_TEST(processes)
{
	ck_assert_int_eq(vec_push(&pids, (uint32_t)getpid()), 0);
	open_filters();
	ck_assert(!filters.ids_are_threads);
	ck_assert_uint_eq(filters.scan.nr, 1);
	ck_assert_uint_eq(filters.scan.data[0], getpid());
	expect_format("");
	filters_close(&filters);
	options.follow_pids = true;
	open_filters();
	ck_assert(filters.follow);
	ck_assert_uint_eq(filters.scan.nr, 0);
	expect_format("children followed");
}
END_TEST

START_TEST(threads)
{
	ck_assert_int_eq(vec_push(&tids, (uint32_t)syscall(SYS_gettid)), 0);
	open_filters();
	ck_assert(filters.ids_are_threads);
	ck_assert_uint_eq(filters.scan.nr, 1);
	ck_assert_uint_eq(filters.scan.data[0], getpid());
}
END_TEST

START_TEST(a_command_is_followed)
{
	options.has_command = true;
	open_filters();
	ck_assert(filters.follow);
	expect_format("");
}
END_TEST

START_TEST(ids_that_are_gone)
{
	ck_assert_int_eq(vec_push(&pids, NO_PID), 0);
	expect_refused(-ESRCH, "failed to record process 5000001: No such process", "");
	vec_clear(&pids);
	ck_assert_int_eq(vec_push(&tids, NO_PID), 0);
	expect_refused(-ESRCH, "failed to record thread 5000001: No such process", "");
	vec_clear(&tids);
	options.mntns = NO_PID;
	expect_refused(-ESRCH,
		       "failed to find the mount namespace of process 5000001: No such process",
		       "");
}
END_TEST

START_TEST(names)
{
	struct stat st;
	char want[256];

	ck_assert_int_eq(stat("/proc/self/ns/mnt", &st), 0);
	options.comm = "make";
	options.uid = 0;
	options.mntns = getpid();
	options.min_wait_us = 5000;
	options.max_wait_us = 90000;
	open_filters();
	ck_assert_uint_eq(filters.mntns_inum, st.st_ino);
	snprintf(
		want, sizeof(want),
		"comm 'make', uid 0, mount namespace %llu of process %d, waits of 5000 us or more, waits of 90000 us or less",
		(unsigned long long)st.st_ino, getpid());
	expect_format(want);
}
END_TEST

START_TEST(paths_that_are_something_else)
{
	options.cgroup = "missing/";
	expect_refused(
		-ENOENT, "failed to open cgroup 'missing/': No such file or directory",
		"--cgroup takes a directory, a path below the root of cgroup v2, or a name: --cgroup NAME.service");
	options.cgroup = "/tmp";
	expect_refused(-EINVAL, "failed to open cgroup '/tmp': it is not in a cgroup v2 tree",
		       "where one is mounted: findmnt -t cgroup2");
	options.cgroup = NULL;
	options.cgroup_map = ".";
	ck_assert_int_lt(filters_open(&filters, &options, &err), 0);
	ck_assert_str_eq(err.text, "failed to open map '.': it is not in a BPF filesystem");
	options.cgroup_map = NULL;
	options.mntns_map = ".";
	ck_assert_int_lt(filters_open(&filters, &options, &err), 0);
	ck_assert_str_eq(err.text, "failed to open map '.': it is not in a BPF filesystem");
}
END_TEST

/* A thread that says its id, and lives until it is cancelled. */
static void *tell_tid(void *pipe_fds)
{
	const uint32_t tid = (uint32_t)syscall(SYS_gettid);

	if (write(((int *)pipe_fds)[1], &tid, sizeof(tid)) != sizeof(tid))
		return NULL;
	for (;;)
		pause();
}

START_TEST(memory_is_released)
{
	ck_assert_int_eq(vec_push(&pids, (uint32_t)getpid()), 0);
	options.comm = "make";
	heap_for_each_round(i)
	{
		open_filters();
		expect_format("comm 'make'");
		filters_close(&filters);
	}
	ck_assert(!heap_has_grown());
}
END_TEST

/* The processes of a cgroup, from a file as cgroup v2 has it. */
START_TEST(members_of_a_cgroup)
{
	int dir = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	ck_assert_int_eq(cgroup_members(dir, &pids), 0);
	ck_assert_uint_eq(pids.nr, 0);
	write_file("cgroup.procs", "7\n4194304\n0\n");
	ck_assert_int_eq(cgroup_members(dir, &pids), 0);
	ck_assert_uint_eq(pids.nr, 3);
	ck_assert_uint_eq(pids.data[0], 7);
	ck_assert_uint_eq(pids.data[1], 4194304);
	ck_assert_uint_eq(pids.data[2], 0);
	close(dir);
}
END_TEST

/* The id of a thread that is not its process's is no process. */
START_TEST(a_thread_is_no_process)
{
	int stop[2];
	pthread_t thread;
	uint32_t tid;
	char text[128];

	ck_assert_int_eq(pipe2(stop, O_CLOEXEC), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, tell_tid, stop), 0);
	ck_assert_int_eq(read(stop[0], &tid, sizeof(tid)), sizeof(tid));
	ck_assert_int_eq(vec_push(&pids, tid), 0);
	ck_assert_int_eq(filters_open(&filters, &options, &err), -ESRCH);
	snprintf(text, sizeof(text), "failed to record process %u: it is a thread of process %d",
		 tid, getpid());
	ck_assert_str_eq(err.text, text);
	snprintf(text, sizeof(text), "-L %u records a thread", tid);
	ck_assert_str_eq(err.hint, text);
	/* As a thread it is fine, and its process's mappings are wanted. */
	vec_clear(&pids);
	ck_assert_int_eq(vec_push(&tids, tid), 0);
	open_filters();
	ck_assert_uint_eq(filters.scan.data[0], getpid());
	filters_close(&filters);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}
END_TEST

SUITE_MAIN_WITH("filters", begin, end, none, processes, threads, a_command_is_followed,
		ids_that_are_gone, names, paths_that_are_something_else, memory_is_released,
		members_of_a_cgroup, a_thread_is_no_process)
