// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_builder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "common/parse.h"
#include "common/readfile.h"
#include "record/children/fd_message.h"
#include "record/unwind/table_worker.h"
#include "tests/unit/suite.h"
#include "tests/unit/table_helper.h"

/* As in record/children/worker_line.c. */
#define WORKERS_MAX 32

#define ALICE 1000

/* The request for a file that is slow. */
#define SLOW 77

static struct table_builder builder;

/*
 * What servers of files do to a child: that of sockets does not answer a question, that of
 * /dev/zero fails to tell the owner, or none can be read.
 */
enum server { ANSWERS, STALLS_AT_FSTAT, STALLS_AT_CLOSE, FAILS, FAILS_TO_READ };

static enum server server, next_server; /* of this process; of its next child */
static int read_error;

int __real_fstat64(int fd, struct stat *st);
int __wrap_fstat64(int fd, struct stat *st);
int __real_close(int fd);
int __wrap_close(int fd);
ssize_t __real_pread64(int fd, void *bytes, size_t nr, off_t off);
ssize_t __wrap_pread64(int fd, void *bytes, size_t nr, off_t off);

static void stall(int fd)
{
	int got;
	char byte;

	fd_message_receive(fd, &byte, sizeof(byte), &got);
}

int __wrap_fstat64(int fd, struct stat *st)
{
	int ret = __real_fstat64(fd, st);

	if (!ret && server == STALLS_AT_FSTAT && S_ISSOCK(st->st_mode))
		stall(fd);
	if (!ret && server == FAILS && st->st_rdev == makedev(1, 5)) {
		errno = EIO;
		ret = -1;
	}
	return ret;
}

int __wrap_close(int fd)
{
	struct stat st;

	if (server == STALLS_AT_CLOSE && !__real_fstat64(fd, &st) && S_ISSOCK(st.st_mode))
		stall(fd);
	return __real_close(fd);
}

ssize_t __wrap_pread64(int fd, void *bytes, size_t nr, off_t off)
{
	errno = read_error;
	return server == FAILS_TO_READ ? -1 : __real_pread64(fd, bytes, nr, off);
}

static void begin(void)
{
	struct err err = {0};

	ck_assert_int_eq(table_builder_start(&builder, &err), 0);
}

static void end(void)
{
	table_builder_deinit(&builder);
	builder = (struct table_builder){.epoll_fd = -1};
}

static void request(const char *path, uint32_t tag)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(table_builder_request(&builder, fd, tag, NULL), 0);
	close(fd);
}

static void request_from(struct worker_line *line, uint32_t tag)
{
	const struct table_request message = table_request_make(tag, NULL);
	const struct worker_request from = {
		.tag = tag,
		.bytes = &message,
		.nr = sizeof(message),
		.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
	};

	ck_assert_int_eq(worker_line_request(line, &from), 0);
	close(from.fd);
}

/* Waits for the answer to the request @tag, which is the next. Returns its status. */
static int wait_for(uint32_t tag, struct unwind_table *table)
{
	struct pollfd poll_fd = {.fd = builder.epoll_fd, .events = POLLIN};
	struct found_interpreter found;
	uint32_t got;
	uint64_t cpu_ns;
	int status;

	while (!table_builder_next(&builder, &got, &status, &cpu_ns, table, &found))
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

static bool is_stopped_task(pid_t pid)
{
	char_vec text = {0};
	bool ret;

	read_proc(pid, "stat", &text);
	ret = strstr(text.data, ") T");
	vec_free(&text);
	return ret;
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
	ck_assert_int_eq(table_builder_request(&builder, fd, 1, hash), 0);
	hash[UNWIND_HASH_BYTES - 1] ^= 1;
	ck_assert_int_eq(table_builder_request(&builder, fd, 2, hash), 0);
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
	uint64_t cpu_ns;
	int status;

	ck_assert_int_eq(table_builder_next(&builder, &tag, &status, &cpu_ns, &table, &found), 0);
	/* One after the other, since those of root have the first turn. */
	request("/dev/null", 1);
	ck_assert_int_eq(wait_for(1, &table), -ENOEXEC);
	request("/proc/self/status", 2);
	ck_assert_int_eq(wait_for(2, &table), -ENOEXEC);
	request("/", 3);
	ck_assert_int_eq(wait_for(3, &table), -ENOEXEC);
	ck_assert_int_eq(table_builder_request(&builder, -1, 4, NULL), -EBADF);
	ck_assert_int_eq(table_builder_next(&builder, &tag, &status, &cpu_ns, &table, &found), 0);
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
		ck_assert_uint_gt(status_number(pid, "\nUid:", 10), 65534);
		ck_assert_uint_eq(status_number(pid, "\nGid:", 10),
				  status_number(pid, "\nUid:", 10));
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

/* A worker that begins with the second of two requests, and dies of it. */
static void die_at_work(int sock)
{
	struct worker_reply reply = {.tag = 1, .status = WORKER_BEGINS};
	struct table_request request;
	int fd;

	for (int i = 0; i < 2; i++)
		fd_message_receive(sock, &request, sizeof(request), &fd);
	fd_message_send(sock, &reply, sizeof(reply), -1);
	_exit(1);
}

/* A worker that waits for the file of request SLOW for ever, and finds no program in others. */
static void stall_at_work(int sock)
{
	struct worker_reply reply;
	struct table_request request;
	int fd;

	/* Ends with its parent. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!fd_message_receive(sock, &request, sizeof(request), &fd)) {
		reply = (struct worker_reply){.tag = request.tag, .status = WORKER_BEGINS};
		fd_message_send(sock, &reply, sizeof(reply), -1);
		while (request.tag == SLOW)
			pause();
		reply.status = -ENOEXEC;
		fd_message_send(sock, &reply, sizeof(reply), -1);
	}
	_exit(0);
}

static void begin_kind(struct worker_line **line, const struct worker_kind *kind)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct err err = {0};

	worker_line_destroy(*line);
	ck_assert_int_eq(worker_line_start(line, kind, &err), 0);
	ck_assert_int_eq(epoll_ctl(builder.epoll_fd, EPOLL_CTL_ADD, worker_line_fd(*line), &event),
			 0);
}

/*
 * A file that a worker dies of has no table. The requests after it went with the worker, and are
 * not to blame.
 */
START_TEST(dies)
{
	const struct worker_kind dying = {.name = "test", .run = die_at_work, .tells_begin = true};
	struct unwind_table table;

	begin_kind(&builder.line, &dying);
	request("/proc/self/exe", 0);
	request("/proc/self/exe", 1);
	ck_assert_int_eq(wait_for(1, &table), -EIO);
	ck_assert_int_eq(wait_for(0, &table), -EAGAIN);
}
END_TEST

/* A file on a server that does not answer holds up those that are slow, too, and no others. */
START_TEST(slow_files)
{
	struct worker_kind stalling = {
		.name = "test", .run = stall_at_work, .ms_max = 1, .tells_begin = true};
	struct worker_line *patient;
	struct unwind_table table;

	begin_kind(&builder.line, &stalling);
	request_from(builder.line, SLOW);
	request_from(builder.line, 2);
	ck_assert_int_eq(wait_for(SLOW, &table), -EBUSY);
	ck_assert_int_eq(wait_for(2, &table), -EAGAIN);
	ck_assert_ptr_eq(table_builder_line(&builder, false, ALICE), builder.line);
	ck_assert_ptr_null(builder.patient);
	patient = table_builder_line(&builder, true, ALICE);
	ck_assert_ptr_ne(patient, builder.line);
	request_from(patient, SLOW);
	ck_assert_int_eq(wait_for(SLOW, &table), 0);
	unwind_table_deinit(&table);
	stalling.ms_max = INT_MAX;
	begin_kind(&builder.patient, &stalling);
	request_from(builder.patient, SLOW);
	request_from(builder.line, 3);
	ck_assert_int_eq(wait_for(3, &table), -ENOEXEC);
	stalling.ms_max = 1;
	begin_kind(&builder.patient, &stalling);
	request_from(builder.patient, SLOW);
	ck_assert_int_eq(wait_for(SLOW, &table), -ETIMEDOUT);
}
END_TEST

static void work_at_files(int sock)
{
	server = next_server;
	table_worker_run(sock);
}

static void begin_with(enum server next)
{
	const struct worker_kind kind = {
		.name = "test", .run = work_at_files, .ms_max = 500, .tells_begin = true};

	next_server = next;
	begin_kind(&builder.line, &kind);
}

/* A server that does not tell whose the file is, or that it is closed, is as slow as others. */
START_TEST(slow_questions)
{
	static const enum server servers[] = {STALLS_AT_FSTAT, STALLS_AT_CLOSE};
	struct unwind_table table;

	for (size_t i = 0; i < ARRAY_SIZE(servers); i++) {
		int ends[2];

		begin_with(servers[i]);
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
		request("/dev/null", 1);
		ck_assert_int_eq(wait_for(1, &table), -ENOEXEC);
		ck_assert_int_eq(table_builder_request(&builder, ends[0], SLOW, NULL), 0);
		request("/dev/null", 2);
		ck_assert_int_eq(wait_for(SLOW, &table), -EBUSY);
		ck_assert_int_eq(wait_for(2, &table), -EAGAIN);
		close(ends[0]);
		close(ends[1]);
	}
}
END_TEST

/* A file whose owner cannot be had has no table, and nothing else comes of it. */
START_TEST(unknown_owners)
{
	struct unwind_table table;

	begin_with(FAILS);
	stop_worker();
	request("/dev/zero", 1);
	request("/dev/null", 2);
	kill(worker(), SIGCONT);
	ck_assert_int_eq(wait_for(1, &table), -ENOEXEC);
	ck_assert_int_eq(wait_for(2, &table), -ENOEXEC);
	ck_assert_uint_eq(worker_line_nr_workers(builder.line), 1);
}
END_TEST

/* What a server answers to a read says nothing of the child, or of a user. */
START_TEST(errors_of_reads)
{
	static const int errors[] = {EIO, EAGAIN, EBUSY, ETIMEDOUT, EDQUOT, EALREADY};
	struct unwind_table table;

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		read_error = errors[i];
		begin_with(FAILS_TO_READ);
		request("/proc/self/exe", 1);
		ck_assert_int_eq(wait_for(1, &table), -ENOEXEC);
	}
}
END_TEST

/* Files of a user for whom the first child has waited long go to the patient one; root's, too. */
START_TEST(users_of_slow_files)
{
	static const uint32_t users[] = {ALICE, 0};

	for (size_t i = 0; i < ARRAY_SIZE(users); i++) {
		table_builder_charge_wait(&builder, users[i]);
		ck_assert_ptr_eq(table_builder_line(&builder, false, users[i]), builder.line);
		table_builder_charge_wait(&builder, users[i]);
		ck_assert_ptr_ne(table_builder_line(&builder, false, users[i]), builder.line);
		ck_assert_ptr_eq(table_builder_line(&builder, false, ALICE + 1), builder.line);
	}
}
END_TEST

/*
 * When many users have made it wait, only those for whom it has not waited lately have it, and each
 * wait keeps a user away for longer. However slow the test is, no time comes back.
 */
START_TEST(many_users_of_slow_files)
{
	const uint32_t late = ALICE + 8;

	builder.waits.part = builder.all_waits.part = 1000000;
	for (uint32_t user = ALICE; user < late; user++) {
		ck_assert_ptr_eq(table_builder_line(&builder, false, user), builder.line);
		table_builder_charge_wait(&builder, user);
		if (user + 1 < late)
			ck_assert_ptr_eq(table_builder_line(&builder, false, user), builder.line);
	}
	for (uint32_t user = ALICE; user < late; user++)
		ck_assert_ptr_ne(table_builder_line(&builder, false, user), builder.line);
	ck_assert_ptr_eq(table_builder_line(&builder, false, 0), builder.line);
	ck_assert_ptr_eq(table_builder_line(&builder, false, late), builder.line);
	table_builder_charge_wait(&builder, late);
	builder.all_waits.accounts.nr = 0;
	ck_assert_ptr_eq(table_builder_line(&builder, false, ALICE), builder.line);
	ck_assert_ptr_ne(table_builder_line(&builder, false, late), builder.line);
}
END_TEST

/* Nobody would hear of what that child does. */
START_TEST(a_patient_child_that_cannot_be_watched)
{
	int fd = builder.epoll_fd;

	builder.epoll_fd = -1;
	ck_assert_ptr_null(table_builder_line(&builder, true, ALICE));
	builder.epoll_fd = fd;
	ck_assert_ptr_nonnull(table_builder_line(&builder, true, ALICE));
}
END_TEST

/* Nothing is to blame for the end of a worker that has not begun with it. */
START_TEST(dies_before_work)
{
	struct unwind_table table;

	stop_worker();
	request("/proc/self/exe", 1);
	request("/proc/self/exe", 2);
	kill(worker(), SIGKILL);
	ck_assert_int_eq(wait_for(1, &table), -EAGAIN);
	request("/proc/self/exe", 3);
	ck_assert_int_eq(wait_for(2, &table), -EAGAIN);
	ck_assert_int_eq(wait_for(3, &table), 0);
	unwind_table_deinit(&table);
}
END_TEST

/*
 * A worker that somebody has stopped is noticed, replaced and counted: with a request or without.
 */
START_TEST(is_stopped)
{
	struct unwind_table table;
	pid_t first = worker(), second;

	ck_assert_int_eq(kill(first, SIGSTOP), 0);
	while (!is_stopped_task(first))
		usleep(1000);
	request("/dev/null", 1);
	ck_assert_int_eq(wait_for(1, &table), -ENOEXEC);
	ck_assert_uint_eq(worker_line_nr_stopped(builder.line), 1);
	second = worker();
	ck_assert_int_ne(second, first);
	stop_worker();
	request("/dev/null", 2);
	/* This time the line notices while it waits. */
	kill(second, SIGCONT);
	kill(second, SIGSTOP);
	if (wait_for(2, &table) == -EAGAIN)
		ck_assert_uint_eq(worker_line_nr_stopped(builder.line), 2);
}
END_TEST

/* Users take turns: one of root's files comes before many of another user. */
START_TEST(users_take_turns)
{
	struct unwind_table table;
	struct table_request message = table_request_make(0, NULL);
	struct worker_request from = {.bytes = &message, .nr = sizeof(message)};

	from.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	stop_worker();
	for (uint32_t i = 0; i < 8; i++) {
		message.tag = from.tag = i;
		message.uid = i == 7 ? 0 : 1000 + (i == 6);
		ck_assert_int_eq(worker_line_request(builder.line, &from), 0);
	}
	kill(worker(), SIGCONT);
	ck_assert_int_eq(wait_for(7, &table), -ENOEXEC);
	ck_assert_int_eq(wait_for(0, &table), -ENOEXEC);
	ck_assert_int_eq(wait_for(6, &table), -ENOEXEC);
	for (uint32_t i = 1; i < 6; i++)
		ck_assert_int_eq(wait_for(i, &table), -ENOEXEC);
	close(from.fd);
}
END_TEST

/* A file that the looker made is root's, and its user has no more time for it than was left. */
START_TEST(made_files_have_their_users_time)
{
	struct unwind_table table;
	struct table_request message = table_request_make(0, NULL);
	struct worker_request from = {.bytes = &message, .nr = sizeof(message)};

	from.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	message.uid = 1000;
	message.cpu_max_us = 0;
	for (uint32_t i = 0; i < 2; i++) {
		message.tag = from.tag = message.is_made = i;
		ck_assert_int_eq(worker_line_request(builder.line, &from), 0);
		ck_assert_int_eq(wait_for(i, &table), i ? -EDQUOT : -ENOEXEC);
	}
	close(from.fd);
}
END_TEST

/* A worker that dies without work is replaced, by a request or by looking at the descriptor. */
START_TEST(dies_idle)
{
	struct pollfd poll_fd = {.fd = builder.epoll_fd, .events = POLLIN};
	struct unwind_table table;
	struct found_interpreter found;
	uint32_t tag;
	uint64_t cpu_ns;
	int status;

	kill(worker(), SIGKILL);
	ck_assert_int_eq(poll(&poll_fd, 1, -1), 1);
	request("/dev/null", 1);
	ck_assert_int_eq(wait_for(1, &table), -ENOEXEC);
	kill(worker(), SIGKILL);
	ck_assert_int_eq(poll(&poll_fd, 1, -1), 1);
	ck_assert_int_eq(table_builder_next(&builder, &tag, &status, &cpu_ns, &table, &found), 0);
	ck_assert_int_eq(poll(&poll_fd, 1, 0), 0);
	request("/dev/null", 2);
	ck_assert_int_eq(wait_for(2, &table), -ENOEXEC);
}
END_TEST

START_TEST(dies_too_often)
{
	struct unwind_table table;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), ret;
	uint32_t nr = 0;

	do {
		stop_worker();
		request("/dev/null", 1000);
		kill(worker(), SIGKILL);
		ck_assert_int_eq(wait_for(1000, &table), -EAGAIN);
		ret = table_builder_request(&builder, fd, 1, NULL);
		if (!ret)
			ck_assert_int_eq(wait_for(1, &table), -ENOEXEC);
		/* Some of them have come back on a slow machine. */
		ck_assert_uint_lt(++nr, 100 * WORKERS_MAX);
	} while (!ret);
	ck_assert_int_eq(ret, -EIO);
	ck_assert_uint_ge(nr, WORKERS_MAX);
	close(fd);
}
END_TEST

START_TEST(too_many)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct unwind_table table;

	stop_worker();
	for (uint32_t i = 0; i < WORKER_WAITING_MAX; i++)
		ck_assert_int_eq(table_builder_request(&builder, fd, i, NULL), 0);
	ck_assert_int_eq(table_builder_request(&builder, fd, WORKER_WAITING_MAX, NULL), -EAGAIN);
	kill(worker(), SIGCONT);
	for (uint32_t i = 0; i < WORKER_WAITING_MAX; i++)
		ck_assert_int_eq(wait_for(i, &table), -ENOEXEC);
	ck_assert_int_eq(table_builder_request(&builder, fd, 1, NULL), 0);
	close(fd);
}
END_TEST

SUITE_MAIN_WITH("table_builder", begin, end, tables, known_tables, no_tables, privileges,
		descriptors, dies, slow_files, slow_questions, unknown_owners, errors_of_reads,
		users_of_slow_files, many_users_of_slow_files,
		a_patient_child_that_cannot_be_watched, dies_before_work, is_stopped,
		users_take_turns, made_files_have_their_users_time, dies_idle, dies_too_often,
		too_many)
