// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_builder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include "common/parse.h"
#include "common/readfile.h"
#include "tests/unit/suite.h"
#include "tests/unit/table_helper.h"

/* Those of record/system/worker_line.c. */
#define WAITING_MAX 64
#define WORKERS_MAX 32

static struct worker_line *builder;

static void begin(void)
{
	struct err err = {0};

	ck_assert_int_eq(table_builder_start(&builder, &err), 0);
}

static void end(void)
{
	worker_line_destroy(builder);
	builder = NULL;
}

static void request(const char *path, uint32_t tag)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(table_builder_request(builder, fd, tag, NULL), 0);
	close(fd);
}

/* Waits for the answer to the request @tag, which is the next. Returns its status. */
static int wait_for(uint32_t tag, struct unwind_table *table)
{
	struct pollfd poll_fd = {.fd = worker_line_fd(builder), .events = POLLIN};
	struct found_interpreter found;
	uint32_t got;
	int status;

	while (!table_builder_next(builder, &got, &status, table, &found))
		ck_assert_int_eq(poll(&poll_fd, 1, -1), 1);
	ck_assert_uint_eq(got, tag);
	return status;
}

static void read_proc(pid_t pid, const char *name, char_vec *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	ck_assert_int_eq(read_file(path, 1 << 20, text), 0);
}

/* The number after @key in the status of a process. */
static uint64_t status_number(pid_t pid, const char *key, int base)
{
	char_vec text = {0};
	const char *line;
	uint64_t value;

	read_proc(pid, "status", &text);
	line = strstr(text.data, key);
	ck_assert_ptr_nonnull(line);
	value = strtoull(line + strlen(key), NULL, base);
	vec_free(&text);
	return value;
}

/* The only child of this process. */
static pid_t worker(void)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	pid_t found = 0;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir))) {
		char_vec text = {0};
		char path[300];
		const char *line;
		uint64_t pid;

		if (parse_u64(entry->d_name, 1, INT32_MAX, &pid))
			continue;
		snprintf(path, sizeof(path), "/proc/%s/status", entry->d_name);
		/* It may have ended. */
		if (!read_file(path, 1 << 20, &text) && (line = strstr(text.data, "\nPPid:")) &&
		    strtol(line + 6, NULL, 10) == getpid()) {
			ck_assert_int_eq(found, 0);
			found = pid;
		}
		vec_free(&text);
	}
	closedir(dir);
	ck_assert_int_ne(found, 0);
	return found;
}

/* Stops the worker, and waits for it to have stopped. */
static pid_t stop_worker(void)
{
	pid_t pid = worker();
	siginfo_t info;

	ck_assert_int_eq(kill(pid, SIGSTOP), 0);
	ck_assert_int_eq(waitid(P_PID, pid, &info, WSTOPPED), 0);
	return pid;
}

START_TEST(tables)
{
	const char *const paths[] = {"/proc/self/exe", "/lib64/ld-linux-x86-64.so.2"};

	for (uint32_t i = 0; i < 2; i++)
		request(paths[i], 100 + i);
	for (uint32_t i = 0; i < 2; i++) {
		struct unwind_table own, table;

		build_table(paths[i], &own);
		ck_assert_int_eq(wait_for(100 + i, &table), 0);
		expect_same_table(&table, &own);
		unwind_table_deinit(&own);
		unwind_table_deinit(&table);
	}
	end();
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

/* A table with a known hash is not made. */
START_TEST(known_tables)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uint8_t hash[UNWIND_HASH_BYTES];
	struct unwind_table own, table;

	build_own_table(&own);
	memcpy(hash, own.hash, sizeof(hash));
	ck_assert_int_eq(table_builder_request(builder, fd, 1, hash), 0);
	hash[UNWIND_HASH_BYTES - 1] ^= 1;
	ck_assert_int_eq(table_builder_request(builder, fd, 2, hash), 0);
	ck_assert_int_eq(wait_for(1, &table), -EALREADY);
	ck_assert_int_eq(wait_for(2, &table), 0);
	expect_same_table(&table, &own);
	ck_assert_mem_eq(table.hash, own.hash, sizeof(own.hash));
	unwind_table_deinit(&own);
	unwind_table_deinit(&table);
	close(fd);
}
END_TEST

START_TEST(no_tables)
{
	struct unwind_table table;
	struct found_interpreter found;
	uint32_t tag;
	int status;

	ck_assert_int_eq(table_builder_next(builder, &tag, &status, &table, &found), 0);
	request("/dev/null", 1);
	request("/proc/self/status", 2);
	request("/", 3);
	for (tag = 1; tag <= 3; tag++)
		ck_assert_int_eq(wait_for(tag, &table), -ENOEXEC);
	ck_assert_int_eq(table_builder_request(builder, -1, 4, NULL), -EBADF);
	ck_assert_int_eq(table_builder_next(builder, &tag, &status, &table, &found), 0);
	worker_line_destroy(NULL);
}
END_TEST

START_TEST(privileges)
{
	struct unwind_table table;
	char_vec name = {0};
	pid_t pid;

	/* A worker that has answered has given up its privileges. */
	request("/dev/null", 1);
	wait_for(1, &table);
	pid = worker();
	read_proc(pid, "comm", &name);
	ck_assert_str_eq(name.data, "profrec-tables\n");
	vec_free(&name);
	ck_assert_uint_eq(status_number(pid, "\nSeccomp:", 10), 2);
	ck_assert_uint_eq(status_number(pid, "\nNoNewPrivs:", 10), 1);
	ck_assert_uint_eq(status_number(pid, "\nCapInh:", 16), 0);
	ck_assert_uint_eq(status_number(pid, "\nCapPrm:", 16), 0);
	ck_assert_uint_eq(status_number(pid, "\nCapEff:", 16), 0);
	ck_assert_uint_eq(status_number(pid, "\nCapAmb:", 16), 0);
	if (!geteuid()) {
		ck_assert_uint_eq(status_number(pid, "\nUid:", 10), 65534);
		ck_assert_uint_eq(status_number(pid, "\nGid:", 10), 65534);
	}
}
END_TEST

/* The worker holds no descriptors of the recorder: its pipes end when the recorder closes them. */
START_TEST(descriptors)
{
	struct unwind_table table;
	int ends[2];
	char byte;

	end();
	ck_assert_int_eq(pipe(ends), 0);
	begin();
	request("/dev/null", 1);
	wait_for(1, &table);
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}
END_TEST

/* Makes the timer of the builder expire. This process has no other. */
static void end_time(void)
{
	const struct itimerspec soon = {.it_value.tv_nsec = 1};
	char path[32], target[64];
	bool found = false;

	for (int fd = 0; fd < 64; fd++) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = readlink(path, target, sizeof(target) - 1);
		target[n < 0 ? 0 : n] = '\0';
		if (strcmp(target, "anon_inode:[timerfd]"))
			continue;
		ck_assert_int_eq(timerfd_settime(fd, 0, &soon, NULL), 0);
		found = true;
	}
	ck_assert(found);
}

/*
 * A file that a worker dies of has no table. The requests after it went with the worker. Another
 * worker takes their place.
 */
START_TEST(dies)
{
	struct unwind_table table;

	stop_worker();
	request("/proc/self/exe", 1);
	request("/proc/self/exe", 2);
	kill(worker(), SIGKILL);
	ck_assert_int_eq(wait_for(1, &table), -EIO);
	request("/proc/self/exe", 3);
	ck_assert_int_eq(wait_for(2, &table), -EAGAIN);
	ck_assert_int_eq(wait_for(3, &table), 0);
	unwind_table_deinit(&table);
	stop_worker();
	request("/proc/self/exe", 4);
	end_time();
	ck_assert_int_eq(wait_for(4, &table), -ETIMEDOUT);
	request("/dev/null", 5);
	ck_assert_int_eq(wait_for(5, &table), -ENOEXEC);
}
END_TEST

/* A worker that dies without work is replaced, by a request or by looking at the descriptor. */
START_TEST(dies_idle)
{
	struct pollfd poll_fd = {.fd = worker_line_fd(builder), .events = POLLIN};
	struct unwind_table table;
	struct found_interpreter found;
	uint32_t tag;
	int status;

	kill(worker(), SIGKILL);
	ck_assert_int_eq(poll(&poll_fd, 1, -1), 1);
	request("/dev/null", 1);
	ck_assert_int_eq(wait_for(1, &table), -ENOEXEC);
	kill(worker(), SIGKILL);
	ck_assert_int_eq(poll(&poll_fd, 1, -1), 1);
	ck_assert_int_eq(table_builder_next(builder, &tag, &status, &table, &found), 0);
	ck_assert_int_eq(poll(&poll_fd, 1, 0), 0);
	request("/dev/null", 2);
	ck_assert_int_eq(wait_for(2, &table), -ENOEXEC);
}
END_TEST

START_TEST(dies_too_often)
{
	struct unwind_table table;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	for (uint32_t i = 0; i < WORKERS_MAX; i++) {
		if (i)
			request("/dev/null", i);
		if (i)
			ck_assert_int_eq(wait_for(i, &table), -ENOEXEC);
		stop_worker();
		request("/dev/null", 1000 + i);
		request("/dev/null", 2000 + i);
		kill(worker(), SIGKILL);
		ck_assert_int_eq(wait_for(1000 + i, &table), -EIO);
		ck_assert_int_eq(wait_for(2000 + i, &table), -EAGAIN);
	}
	ck_assert_int_eq(table_builder_request(builder, fd, 1, NULL), -EIO);
	close(fd);
}
END_TEST

START_TEST(too_many)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct unwind_table table;

	stop_worker();
	for (uint32_t i = 0; i < WAITING_MAX; i++)
		ck_assert_int_eq(table_builder_request(builder, fd, i, NULL), 0);
	ck_assert_int_eq(table_builder_request(builder, fd, WAITING_MAX, NULL), -EAGAIN);
	kill(worker(), SIGCONT);
	for (uint32_t i = 0; i < WAITING_MAX; i++)
		ck_assert_int_eq(wait_for(i, &table), -ENOEXEC);
	ck_assert_int_eq(table_builder_request(builder, fd, 1, NULL), 0);
	close(fd);
}
END_TEST

SUITE_MAIN_WITH("table_builder", begin, end, tables, known_tables, no_tables, privileges,
		descriptors, dies, dies_idle, dies_too_often, too_many)
