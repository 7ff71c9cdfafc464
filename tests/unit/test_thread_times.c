// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts of /proc/PID/task/TID/stat and schedstat, the former the test's own (--wrap). */
#include "record/sampling/ptrace/thread_times.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "record/looks/proc_task.h"
#include "tests/unit/suite.h"

static uint32_t cpu_numbers[] = {0, 2, 5};
static const u32_vec possible = {.data = cpu_numbers, .nr = 3, .cap = 3};

static struct target_thread thread;

/* From the third field on; NULL: it cannot be read. */
static const char *stat_text;

int __wrap_proc_stat_read(struct looker *looker, uint32_t pid, uint32_t tid, char *text);

int __wrap_proc_stat_read(struct looker *looker, uint32_t pid, uint32_t tid, char *text)
{
	(void)looker;
	ck_assert_uint_eq(pid, 10);
	ck_assert_uint_eq(tid, 11);
	if (!stat_text)
		return -ENOENT;
	strcpy(text, stat_text);
	return 0;
}

static void begin(void)
{
	thread = (struct target_thread){.pid = 10, .tid = 11, .stat_fd = -1, .cpu = 1};
}

static void end(void)
{
}

/* Fields 4 to 38, and then that of the CPU. */
#define STAT_OF(state, ticks, cpu)                                                                 \
	state " 4 5 6 7 8 9 10 11 12 13 " ticks                                                    \
	      " 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 "                               \
	      "33 34 35 36 37 38 " cpu " 40 41 42\n"

#define STAT(state, cpu) STAT_OF(state, "14 15", cpu)

START_TEST(who_runs_where)
{
	static const struct {
		const char *text;
		bool runs;
		uint32_t cpu;
	} cases[] = {
		{STAT("R", "5"), true, 2},  {STAT("R", "0"), true, 0}, {STAT("S", "2"), false, 1},
		{STAT("D", "5"), false, 2}, {STAT("R", "7"), true, 2}, /* no such CPU: as before */
		{"R 4 5\n", true, 2},       {NULL, false, 2},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		stat_text = cases[i].text;
		ck_assert_int_eq(thread_times_runs(&thread, &possible, NULL), cases[i].runs);
		ck_assert_uint_eq(thread.cpu, cases[i].cpu);
	}
}
END_TEST

START_TEST(ticks_of_a_thread)
{
	stat_text = STAT("R", "5");
	ck_assert(thread_times_runs(&thread, &possible, NULL));
	stat_text = STAT_OF("R", "30 19", "5");
	ck_assert(thread_times_runs(&thread, &possible, NULL));
	ck_assert_uint_eq(thread.first_ticks.user, 14);
	ck_assert_uint_eq(thread.first_ticks.kernel, 15);
	ck_assert_uint_eq(thread.ticks.user, 30);
	ck_assert_uint_eq(thread.ticks.kernel, 19);
}
END_TEST

START_TEST(who_has_ended)
{
	static const struct {
		const char *text;
		bool has_ended;
	} cases[] = {{STAT("R", "5"), false},
		     {STAT("S", "5"), false},
		     {STAT("Z", "5"), true},
		     {STAT("X", "5"), true},
		     {NULL, true}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		stat_text = cases[i].text;
		ck_assert_int_eq(thread_times_has_ended(10, 11, NULL), cases[i].has_ended);
	}
}
END_TEST

/* CPU time, the time of waiting and the number of turns; the file stays open. */
START_TEST(times_of_schedstat)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} cases[] = {{"123456789 77 5\n", 123456789},
		     {"18446744073709551615 0 1\n", UINT64_MAX},
		     {"0 0 0\n", 0}};

	thread.stat_fd = memfd_create("schedstat", MFD_CLOEXEC);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert_int_eq(ftruncate(thread.stat_fd, 0), 0);
		ck_assert_int_gt(pwrite(thread.stat_fd, cases[i].text, strlen(cases[i].text), 0),
				 0);
		ck_assert_uint_eq(thread_times_read(&thread), cases[i].ns);
		ck_assert_uint_eq(thread_times_read(&thread), cases[i].ns);
	}
	/* A thread that has gone has the time that it was last known to have. */
	thread.ran_ns = 4711;
	ck_assert_int_eq(ftruncate(thread.stat_fd, 0), 0);
	ck_assert_uint_eq(thread_times_read(&thread), 4711);
	close(thread.stat_fd);
	thread.stat_fd = -1;
	thread.tid = UINT32_MAX;
	ck_assert_uint_eq(thread_times_read(&thread), 4711);
	ck_assert_int_eq(thread.stat_fd, -1);
}
END_TEST

/* This very thread, whose file is kept unless few may be open. */
START_TEST(files_that_stay_open)
{
	struct rlimit limit;
	int free_fd = dup(STDERR_FILENO);

	if (access("/proc/self/schedstat", R_OK))
		SKIP_TEST("the kernel does not tell CPU times");
	close(free_fd);
	thread.pid = getpid();
	thread.tid = gettid();
	thread.ran_ns = UINT64_MAX;
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 2 * free_fd + 2;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_uint_ne(thread_times_read(&thread), UINT64_MAX);
	ck_assert_int_eq(thread.stat_fd, free_fd);
	thread.stat_fd = -1;
	ck_assert_uint_ne(thread_times_read(&thread), UINT64_MAX);
	ck_assert_int_eq(thread.stat_fd, -1);
	ck_assert_int_eq(dup(STDERR_FILENO), free_fd + 1);
}
END_TEST

SUITE_MAIN_WITH("thread_times", begin, end, who_runs_where, ticks_of_a_thread, who_has_ended,
		times_of_schedstat, files_that_stay_open)
