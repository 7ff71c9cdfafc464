// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/looks/proc_task.h"
#include "common/clock.h"
#include "common/readfile.h"
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

/* What a file of /proc says; NULL: what it says really. */
static const char *played_text;
static uid_t played_uid;

int __real_read_file(const char *path, size_t max, char_vec *text);
int __wrap_read_file(const char *path, size_t max, char_vec *text);
int __real_stat64(const char *path, struct stat *st);
int __wrap_stat64(const char *path, struct stat *st);

int __wrap_read_file(const char *path, size_t max, char_vec *text)
{
	if (!played_text)
		return __real_read_file(path, max, text);
	return vec_append(text, played_text, strlen(played_text) + 1);
}

int __wrap_stat64(const char *path, struct stat *st)
{
	int ret = __real_stat64(path, st);

	if (played_uid)
		st->st_uid = played_uid;
	return ret;
}

/* Nobody needs to ask another process about one of the same user. */
START_TEST(who_is_asked)
{
	struct looker *looker = (struct looker *)&played_text;

	ck_assert_ptr_null(proc_looker(NULL, getpid()));
	ck_assert_ptr_null(proc_looker(NULL, 5000001));
	ck_assert_ptr_null(proc_looker(looker, getpid()));
	ck_assert_ptr_eq(proc_looker(looker, 5000001), looker);
	played_uid = geteuid() + 1;
	ck_assert_ptr_eq(proc_looker(looker, getpid()), looker);
	ck_assert_ptr_null(proc_looker(NULL, getpid()));
}
END_TEST

/* The effective user is the owner of a process that root has begun. */
START_TEST(owners)
{
	static const struct {
		const char *text;
		uint32_t owner;
	} cases[] = {
		{"Name:\tUid: 3 4\nUid:\t5\t6\t7\t8\n", 5},
		{"Name:\tx\nUid:\t0\t6\t7\t8\n", 6},
		{"Name:\tx\nUid:\t0\t0\t7\t8\n", 0},
		{"Name:\tx\n", PROC_NOBODY},
		{"Uid:\t5\t6\n", PROC_NOBODY}, /* the first line is the name */
	};

	uint32_t tracer;

	ck_assert_uint_eq(proc_owner(getpid()), getuid());
	ck_assert_uint_eq(proc_owner(5000001), PROC_NOBODY);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		played_text = cases[i].text;
		ck_assert_uint_eq(proc_owner(1), cases[i].owner);
	}
	played_text = "Name:\tx\nTracerPid:\t77\n";
	ck_assert_int_eq(proc_tracer(1, &tracer), 0);
	ck_assert_uint_eq(tracer, 77);
}
END_TEST

/* Fields are counted behind the last parenthesis: the name holds anything. */
START_TEST(stat_of_a_thread)
{
	char text[PROC_STAT_SIZE], longest[PROC_STAT_SIZE + 16];
	uint64_t start;

	ck_assert_int_eq(proc_stat_read(NULL, getpid(), getpid(), text), 0);
	ck_assert_int_eq(strncmp(text, "R ", 2), 0);
	ck_assert_int_eq(proc_stat_read(NULL, getpid(), 5000001, text), -ENOENT);
	played_text = "12 (a) b) S 1 2 3";
	ck_assert_int_eq(proc_stat_read(NULL, 12, 12, text), 0);
	ck_assert_str_eq(text, "S 1 2 3");
	ck_assert_int_eq(proc_start_ns(NULL, 12, &start), -EINVAL);
	played_text = "12 (a) b)";
	ck_assert_int_eq(proc_stat_read(NULL, 12, 12, text), -EINVAL);
	played_text = "12 a";
	ck_assert_int_eq(proc_stat_read(NULL, 12, 12, text), -EINVAL);
	ck_assert_int_eq(proc_start_ns(NULL, 12, &start), -EINVAL);
	/* All that there is room for. */
	memset(longest, 'x', sizeof(longest));
	memcpy(longest, ") ", 2);
	longest[PROC_STAT_SIZE] = '\0';
	played_text = longest;
	ck_assert_int_eq(proc_stat_read(NULL, 12, 12, text), 0);
	ck_assert_uint_eq(strlen(text), PROC_STAT_SIZE - 2);
	longest[PROC_STAT_SIZE] = 'x';
	longest[PROC_STAT_SIZE + 1] = '\0';
	ck_assert_int_eq(proc_stat_read(NULL, 12, 12, text), -EINVAL);
	/* Field 22, in hundredths of a second. */
	played_text = "12 (a) S 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 250 23";
	ck_assert_int_eq(proc_start_ns(NULL, 12, &start), 0);
	ck_assert_uint_eq(start, clock_boottime_of(250 * (NS_PER_S / sysconf(_SC_CLK_TCK))));
}
END_TEST

/* What the looker answers instead, with so many bytes and this one at the end. */
static struct {
	bool is_played;
	size_t nr;
	char last;
} answered;

int __real_looker_ask(struct looker *looker, const struct look_question *question,
		      struct look_answer *answer);
int __wrap_looker_ask(struct looker *looker, const struct look_question *question,
		      struct look_answer *answer);

int __wrap_looker_ask(struct looker *looker, const struct look_question *question,
		      struct look_answer *answer)
{
	if (!answered.is_played)
		return __real_looker_ask(looker, question, answer);
	memset(answer->bytes, 'x', sizeof(answer->bytes));
	answer->nr = answered.nr;
	if (answer->nr)
		answer->bytes[answer->nr - 1] = answered.last;
	return 0;
}

/* Whatever a child answers that somebody has taken over: a text that ends, and no more of it. */
START_TEST(answers_about_a_thread)
{
	static const struct {
		size_t nr;
		char last;
		int ret;
	} cases[] = {
		{0, '\0', -EBADMSG},
		{1, '\0', 0},
		{1, 'x', -EBADMSG},
		{2, '\0', 0},
		{PROC_STAT_SIZE, '\0', 0},
		{PROC_STAT_SIZE, 'x', -EBADMSG},
		{PROC_STAT_SIZE + 1, '\0', -EBADMSG},
	};
	char text[PROC_STAT_SIZE];
	uint64_t start;

	answered.is_played = true;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		answered.nr = cases[i].nr;
		answered.last = cases[i].last;
		ck_assert_msg(proc_stat_read(NULL, 12, 12, text) == cases[i].ret, "case %zu", i);
		if (!cases[i].ret)
			ck_assert_uint_eq(strlen(text), cases[i].nr - 1);
	}
	for (answered.nr = 0; answered.nr < 2 * sizeof(start); answered.nr++)
		ck_assert_int_eq(proc_start_ns(NULL, 12, &start),
				 answered.nr == sizeof(start) ? 0 : -EBADMSG);
}
END_TEST

static look_culprit touched, given_up;

int __wrap_look_touch(struct look *look, look_culprit culprit);

int __wrap_look_touch(struct look *look, look_culprit culprit)
{
	(void)look;
	touched = culprit;
	return culprit == given_up ? -EHOSTDOWN : 0;
}

/* Who asks about a thread may wait for its process. */
START_TEST(a_process_that_is_given_up)
{
	char text[PROC_STAT_SIZE];

	ck_assert_int_eq(proc_stat_read(NULL, getpid(), getpid(), text), 0);
	ck_assert_uint_eq(touched, look_process(getpid()));
	given_up = touched;
	ck_assert_int_eq(proc_stat_read(NULL, getpid(), getpid(), text), -EHOSTDOWN);
}
END_TEST

static struct {
	uint32_t tid;
	int nr, nr_new; /* calls, and those that say that the thread is new */
	int error;
} added;

static int add(void *ctx, uint32_t tid)
{
	ck_assert_ptr_eq(ctx, &added);
	added.tid = tid;
	if (added.nr++ < added.nr_new)
		return 1;
	return added.error;
}

/* Threads are listed again until none is new: new ones may begin new ones. */
START_TEST(all_threads)
{
	ck_assert_int_eq(proc_add_threads(getpid(), add, &added), 0);
	ck_assert_int_eq(added.nr, 1);
	ck_assert_uint_eq(added.tid, getpid());
	added.nr = 0;
	added.nr_new = 2;
	ck_assert_int_eq(proc_add_threads(getpid(), add, &added), 0);
	ck_assert_int_eq(added.nr, 3);
	/* A thread that has gone is none. */
	added.nr = 0;
	added.error = -ESRCH;
	ck_assert_int_eq(proc_add_threads(getpid(), add, &added), 0);
	ck_assert_int_eq(added.nr, 3);
	added.nr = 0;
	added.error = -ENOMEM;
	ck_assert_int_eq(proc_add_threads(getpid(), add, &added), -ENOMEM);
	ck_assert_int_eq(added.nr, 3);
	ck_assert_int_eq(proc_add_threads(5000001, add, &added), -ESRCH);
	ck_assert_int_eq(added.nr, 3);
}
END_TEST

SUITE_MAIN("proc_task", numbers, no_numbers, ourselves, processes, threads, start_of_a_process,
	   who_is_asked, owners, stat_of_a_thread, answers_about_a_thread,
	   a_process_that_is_given_up, all_threads)
