// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Children that do what their requests say. The clock, the timer and the times of children are
 * played (--wrap).
 */
#include "record/children/worker_line.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/readfile.h"
#include "record/children/child.h"
#include "record/children/fd_message.h"
#include "tests/unit/played_clock.h"
#include "tests/unit/suite.h"

#define WORKERS_MAX    32
#define WORKER_BACK_NS (10 * NS_PER_S)
#define MS_MAX         3000
#define SLOW_MS        500
#define LARGE_BYTES    50000
#define BAD_STATUS     5

/* A request is two of these. */
enum what { DO_NOTHING, DO_REPLY, DO_SEND_MEMORY, DO_BEGIN, DO_DIE, DO_WAIT };

struct order {
	enum what what;
	uint32_t tag;
	int32_t status;
};

struct request {
	struct order orders[2];
};

static struct worker_line *line;
static struct err err;
static int gate[2];   /* a child that waits reads a byte from it */
static int timer_fd;  /* an eventfd in its place */
static long timer_ms; /* set last */
static size_t nr_timer_sets;
static uint64_t ran_ns, queued_ns; /* of the child */
static bool has_times;
static char state;

int __wrap_timerfd_create(int clock, int flags);
int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *spec,
			   struct itimerspec *old);
int __wrap_read_file(const char *path, size_t max, char_vec *text);
char __wrap_child_state(pid_t pid);

int __wrap_timerfd_create(int clock, int flags)
{
	ck_assert_int_eq(clock, CLOCK_MONOTONIC);
	ck_assert_int_eq(flags, TFD_NONBLOCK | TFD_CLOEXEC);
	timer_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	return timer_fd;
}

int __wrap_timerfd_settime(int fd, int flags, const struct itimerspec *spec, struct itimerspec *old)
{
	(void)flags, (void)old;
	ck_assert_int_eq(fd, timer_fd);
	ck_assert_int_eq(spec->it_interval.tv_nsec, spec->it_value.tv_nsec);
	ck_assert_int_eq(spec->it_value.tv_sec, 0);
	timer_ms = spec->it_value.tv_nsec / 1000000;
	nr_timer_sets++;
	return 0;
}

int __wrap_read_file(const char *path, size_t max, char_vec *text)
{
	char line_of_times[64];

	(void)path, (void)max;
	snprintf(line_of_times, sizeof(line_of_times), "%llu %llu 1\n", (unsigned long long)ran_ns,
		 (unsigned long long)queued_ns);
	return has_times ? vec_append(text, line_of_times, strlen(line_of_times) + 1) : -ENOENT;
}

char __wrap_child_state(pid_t pid)
{
	(void)pid;
	return state;
}

static void obey(int sock, const struct order *order)
{
	struct worker_reply reply = {
		.tag = order->tag, .status = order->status, .cpu_ns = (uint64_t)getpid()};
	int fd = -1;
	char byte;

	switch (order->what) {
	case DO_NOTHING:
		return;
	case DO_BEGIN:
		reply.status = WORKER_BEGINS;
		break;
	case DO_SEND_MEMORY:
		fd = memfd_create("answer", MFD_CLOEXEC);
		break;
	case DO_DIE:
		_exit(0);
	case DO_WAIT:
		if (read(gate[0], &byte, 1) != 1)
			_exit(1);
		return;
	case DO_REPLY:
		break;
	}
	if (fd_message_send(sock, &reply, sizeof(reply), fd))
		_exit(1);
}

static void run(int sock)
{
	static char bytes[LARGE_BYTES];

	for (;;) {
		size_t nr = sizeof(bytes);
		struct request request;
		int fd;

		if (fd_message_receive_some(sock, bytes, &nr, &fd))
			_exit(0);
		memcpy(&request, bytes, sizeof(request));
		for (size_t i = 0; i < ARRAY_SIZE(request.orders); i++)
			obey(sock, &request.orders[i]);
	}
}

static void start_kind(bool tells_begin, unsigned int slow_ms)
{
	const struct worker_kind kind = {.name = "child",
					 .run = run,
					 .ms_max = MS_MAX,
					 .slow_ms = slow_ms,
					 .tells_begin = tells_begin};

	worker_line_destroy(line);
	ck_assert_int_eq(worker_line_start(&line, &kind, &err), 0);
}

static void start(bool tells_begin)
{
	start_kind(tells_begin, 0);
}

static void begin(void)
{
	now_ns = 1000 * NS_PER_S;
	has_times = true;
	ran_ns = queued_ns = 0;
	timer_ms = 77;
	ck_assert_int_eq(pipe2(gate, O_CLOEXEC), 0);
	start(false);
}

static void end(void)
{
	worker_line_destroy(line);
	worker_line_destroy(NULL);
}

#define ORDER(w)     ((struct order){.what = (w)})
#define TAGGED(w, t) ((struct order){.what = (w), .tag = (t)})

/* A request @tag of @first and @second. */
static int request(uint32_t tag, struct order first, struct order second)
{
	const struct request orders = {.orders = {first, second}};
	const struct worker_request r = {
		.tag = tag, .bytes = &orders, .nr = sizeof(orders), .fd = -1};

	return worker_line_request(line, &r);
}

static void ask(uint32_t tag, struct order first)
{
	ck_assert_int_eq(request(tag, first, ORDER(DO_NOTHING)), 0);
}

static void ask_reply(uint32_t tag)
{
	ask(tag, TAGGED(DO_REPLY, tag));
}

/* Waits for the next reply. */
static struct worker_reply wait_reply(int *memory)
{
	struct pollfd poll_fd = {.fd = worker_line_fd(line), .events = POLLIN};
	struct worker_reply reply;

	while (!worker_line_next(line, &reply, memory))
		ck_assert_int_eq(poll(&poll_fd, 1, -1), 1);
	return reply;
}

static void expect_reply(uint32_t tag, int status)
{
	int memory;
	const struct worker_reply reply = wait_reply(&memory);

	ck_assert_uint_eq(reply.tag, tag);
	ck_assert_int_eq(reply.status, status);
	ck_assert_int_eq(memory, -1);
	if (status)
		ck_assert_uint_eq(reply.own[0], 0);
}

static void expect_nothing(void)
{
	struct worker_reply reply;
	int memory;

	ck_assert(!worker_line_next(line, &reply, &memory));
	ck_assert_int_eq(memory, -1);
}

static bool has_news(void)
{
	struct pollfd poll_fd = {.fd = worker_line_fd(line), .events = POLLIN};

	return poll(&poll_fd, 1, 0);
}

START_TEST(replies_come_in_order)
{
	int memory;

	ck_assert_uint_eq(worker_line_nr_workers(line), 1);
	expect_nothing();
	ask_reply(5);
	ck_assert_int_eq(timer_ms, 250);
	ask(6, TAGGED(DO_SEND_MEMORY, 6));
	ask(7, ((struct order){DO_REPLY, 7, -ENOEXEC}));
	expect_reply(5, 0);
	ck_assert_int_eq(timer_ms, 250);
	ck_assert_uint_eq(wait_reply(&memory).tag, 6);
	ck_assert_int_ge(fcntl(memory, F_GETFD), 0);
	close(memory);
	expect_reply(7, -ENOEXEC);
	ck_assert_int_eq(timer_ms, 0);
	expect_nothing();
	ck_assert(!has_news());
	ck_assert_uint_eq(worker_line_nr_workers(line), 1);
}
END_TEST

/* Only the request at which it was is to blame. */
START_TEST(a_worker_dies_of_a_request)
{
	ck_assert_int_eq(request(1, ORDER(DO_WAIT), ORDER(DO_DIE)), 0);
	ask_reply(2);
	ask_reply(3);
	ck_assert_int_eq(write(gate[1], "x", 1), 1);
	expect_reply(1, -EIO);
	/* A new worker takes what comes; what had waited went with the old one. */
	ask_reply(4);
	ck_assert_uint_eq(worker_line_nr_workers(line), 2);
	expect_reply(2, -EAGAIN);
	expect_reply(3, -EAGAIN);
	expect_reply(4, 0);
	ck_assert_int_eq(timer_ms, 0);
}
END_TEST

START_TEST(a_worker_dies_without_a_request)
{
	struct pollfd poll_fd = {.fd = worker_line_fd(line), .events = POLLIN};

	ck_assert_int_eq(request(1, TAGGED(DO_REPLY, 1), ORDER(DO_DIE)), 0);
	expect_reply(1, 0);
	ck_assert_int_eq(poll(&poll_fd, 1, -1), 1);
	ask_reply(2);
	ck_assert_uint_eq(worker_line_nr_workers(line), 2);
	ck_assert_int_eq(request(3, TAGGED(DO_REPLY, 3), ORDER(DO_DIE)), 0);
	expect_reply(2, 0);
	expect_reply(3, 0);
	poll_fd.fd = worker_line_fd(line);
	ck_assert_int_eq(poll(&poll_fd, 1, -1), 1);
	expect_nothing();
	ask_reply(4);
	expect_reply(4, 0);
	ck_assert_uint_eq(worker_line_nr_workers(line), 3);
}
END_TEST

static void stop(pid_t pid)
{
	siginfo_t info;

	ck_assert_int_eq(kill(pid, SIGSTOP), 0);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT), 0);
}

/* The worker, which has answered request @tag and waits in it. */
static pid_t worker_that_waits(uint32_t tag)
{
	int memory;

	ck_assert_int_eq(request(tag, TAGGED(DO_REPLY, tag), ORDER(DO_WAIT)), 0);
	return (pid_t)wait_reply(&memory).cpu_ns;
}

START_TEST(a_request_finds_a_stopped_worker)
{
	stop(worker_that_waits(1));
	ask_reply(2);
	ck_assert_uint_eq(worker_line_nr_workers(line), 2);
	ck_assert_uint_eq(worker_line_nr_stopped(line), 1);
	expect_reply(2, 0);
	stop(worker_that_waits(3));
}
END_TEST

/* None of the requests is to blame for that. */
START_TEST(the_timer_finds_a_stopped_worker)
{
	pid_t pid = worker_that_waits(1);

	ask_reply(2);
	ask_reply(3);
	stop(pid);
	expect_nothing();
	ck_assert_int_eq(eventfd_write(timer_fd, 1), 0);
	expect_reply(2, -EAGAIN);
	expect_reply(3, -EAGAIN);
	ck_assert_uint_eq(worker_line_nr_stopped(line), 1);
	/* While its requests wait, the next one goes to another. */
	pid = worker_that_waits(4);
	ask_reply(5);
	stop(pid);
	timer_ms = 77;
	ask_reply(6);
	ck_assert_int_eq(timer_ms, 250);
	ck_assert_uint_eq(worker_line_nr_stopped(line), 2);
	ck_assert_uint_eq(worker_line_nr_workers(line), 3);
	expect_reply(5, -EAGAIN);
	expect_reply(6, 0);
}
END_TEST

/* Time in which the worker ran, or waited for a processor, is not its file's fault. */
START_TEST(a_worker_that_waits_for_too_long)
{
	static const struct {
		uint64_t passed_ns, ran_ns, queued_ns;
		bool is_late;
	} cases[] = {
		{3 * NS_PER_S - 1, 0, 0, false},
		{3 * NS_PER_S, 0, 0, true},
		{10 * NS_PER_S, 4 * NS_PER_S, 3 * NS_PER_S + 1, false},
		{10 * NS_PER_S, 4 * NS_PER_S, 3 * NS_PER_S, true},
		{2 * NS_PER_S, 5 * NS_PER_S, 0, false},
		{2 * NS_PER_S, 2 * NS_PER_S, 0, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		start(false);
		ran_ns = 20 * NS_PER_S;
		queued_ns = 30 * NS_PER_S;
		ask(1, ORDER(DO_WAIT));
		ask_reply(2);
		now_ns += cases[i].passed_ns;
		ran_ns += cases[i].ran_ns;
		queued_ns += cases[i].queued_ns;
		expect_nothing(); /* before the timer goes off, nobody looks */
		ck_assert_int_eq(eventfd_write(timer_fd, 1), 0);
		if (!cases[i].is_late) {
			expect_nothing();
			continue;
		}
		expect_reply(1, -ETIMEDOUT);
		expect_reply(2, -EAGAIN);
	}
}
END_TEST

/* The kernel counts a wait for a processor only when it is over. */
START_TEST(a_worker_that_still_waits_for_a_processor)
{
	ask(1, ORDER(DO_WAIT));
	now_ns += 3 * NS_PER_S;
	state = 'R';
	ck_assert_int_eq(eventfd_write(timer_fd, 1), 0);
	expect_nothing();
	state = 'S';
	ck_assert_int_eq(eventfd_write(timer_fd, 1), 0);
	expect_reply(1, -ETIMEDOUT);
}
END_TEST

/* It has taken CPU time until it was given up, if the worker has said which request it is. */
START_TEST(the_cpu_time_of_a_request_that_waits_for_too_long)
{
	for (int tells_begin = 0; tells_begin < 2; tells_begin++) {
		struct pollfd poll_fd = {.events = POLLIN};
		struct worker_reply reply;
		int memory;

		start(tells_begin);
		poll_fd.fd = worker_line_fd(line);
		ran_ns = 10 * NS_PER_S;
		ck_assert_int_eq(request(1, tells_begin ? TAGGED(DO_BEGIN, 1) : ORDER(DO_NOTHING),
					 ORDER(DO_WAIT)),
				 0);
		ran_ns += NS_PER_S;
		if (tells_begin)
			ck_assert_int_eq(poll(&poll_fd, 1, -1), 1);
		expect_nothing();
		now_ns += 10 * NS_PER_S;
		ran_ns += 2 * NS_PER_S;
		ck_assert_int_eq(eventfd_write(timer_fd, 1), 0);
		reply = wait_reply(&memory);
		ck_assert_int_eq(reply.status, -ETIMEDOUT);
		ck_assert_uint_eq(reply.cpu_ns, tells_begin ? 2 * NS_PER_S : 0);
	}
}
END_TEST

/* Each reply begins a new time. */
START_TEST(the_next_request_has_a_time_of_its_own)
{
	ck_assert_int_eq(request(1, ORDER(DO_WAIT), TAGGED(DO_REPLY, 1)), 0);
	ask(2, ORDER(DO_WAIT));
	ck_assert_int_eq(write(gate[1], "x", 1), 1);
	now_ns += 2 * NS_PER_S;
	expect_reply(1, 0);
	now_ns += 2 * NS_PER_S;
	ck_assert_int_eq(eventfd_write(timer_fd, 1), 0);
	expect_nothing();
	ran_ns = NS_PER_S;
	queued_ns = 5;
	ck_assert_uint_eq(worker_line_ran_ns(line), NS_PER_S);
	has_times = false;
	ck_assert_uint_eq(worker_line_ran_ns(line), 0);
}
END_TEST

static void expect_tagged(uint32_t tag, int status, bool is_aside)
{
	int memory;
	const struct worker_reply reply = wait_reply(&memory);

	ck_assert_uint_eq(reply.tag, tag);
	ck_assert_int_eq(reply.status, status);
	ck_assert_int_eq(reply.is_aside, is_aside);
	ck_assert_int_eq(memory, -1);
}

/* Time passes, in which all workers wait for a file. */
static void wait_for_file(uint64_t ms)
{
	now_ns += ms * NS_PER_MS;
	ck_assert_int_eq(eventfd_write(timer_fd, 1), 0);
}

/* The worker waits in request 1 and steps aside. */
static void begin_aside(void)
{
	start_kind(false, SLOW_MS);
	ck_assert_int_eq(request(1, ORDER(DO_WAIT), TAGGED(DO_REPLY, 1)), 0);
	ask_reply(2);
	wait_for_file(SLOW_MS - 1);
	expect_nothing();
	wait_for_file(1);
	expect_tagged(1, WORKER_STEPS_ASIDE, false);
	expect_tagged(2, -EAGAIN, false);
	expect_nothing();
	nr_timer_sets = 0;
}

/* Others go on, and the request is answered when its file is. */
START_TEST(a_worker_steps_aside)
{
	begin_aside();
	ck_assert_int_eq(timer_ms, 250);
	ask_reply(1);
	ck_assert_uint_eq(worker_line_nr_workers(line), 2);
	expect_tagged(1, 0, false);
	/* It goes on, or replies that come often would put it off. */
	ck_assert_uint_eq(nr_timer_sets, 0);
	/* A worker without a request may wait for long. */
	wait_for_file(MS_MAX - SLOW_MS - 1);
	expect_nothing();
	ck_assert_int_eq(write(gate[1], "x", 1), 1);
	expect_tagged(1, 0, true);
	ck_assert_int_eq(timer_ms, 0);
	expect_nothing();
	ck_assert(!has_news());
	ask_reply(3);
	expect_tagged(3, 0, false);
	ck_assert_uint_eq(worker_line_nr_workers(line), 2);
}
END_TEST

START_TEST(a_worker_that_stepped_aside_waits_for_too_long)
{
	struct worker_reply reply;
	int memory;

	begin_aside();
	wait_for_file(MS_MAX - SLOW_MS - 1);
	expect_nothing();
	now_ns += NS_PER_S;
	ran_ns = NS_PER_S;
	wait_for_file(0);
	expect_nothing();
	wait_for_file(1);
	reply = wait_reply(&memory);
	ck_assert_int_eq(reply.status, -ETIMEDOUT);
	ck_assert(reply.is_aside);
	ck_assert_uint_eq(reply.cpu_ns, NS_PER_S);
	ck_assert_int_eq(timer_ms, 0);
	expect_nothing();
}
END_TEST

/* Neither a worker that is stopped nor one that was stopped aside is to blame. */
START_TEST(stopped_workers_do_not_wait_for_files)
{
	pid_t pid;

	start_kind(false, SLOW_MS);
	pid = worker_that_waits(1);
	ask_reply(2);
	stop(pid);
	wait_for_file(SLOW_MS);
	expect_tagged(2, -EAGAIN, false);
	ck_assert_uint_eq(worker_line_nr_stopped(line), 1);
	pid = worker_that_waits(3);
	ask_reply(4);
	wait_for_file(SLOW_MS);
	expect_tagged(4, WORKER_STEPS_ASIDE, false);
	stop(pid);
	wait_for_file(MS_MAX);
	expect_tagged(4, -EAGAIN, true);
	ck_assert_uint_eq(worker_line_nr_stopped(line), 2);
}
END_TEST

START_TEST(a_worker_that_stepped_aside_dies)
{
	start_kind(false, SLOW_MS);
	ck_assert_int_eq(request(1, ORDER(DO_WAIT), ORDER(DO_DIE)), 0);
	wait_for_file(SLOW_MS);
	expect_tagged(1, WORKER_STEPS_ASIDE, false);
	ck_assert_int_eq(write(gate[1], "x", 1), 1);
	expect_tagged(1, -EIO, true);
	ask_reply(2);
	expect_tagged(2, 0, false);
}
END_TEST

/* One may step aside at a time. The request of the other is lost with its worker. */
START_TEST(two_slow_workers)
{
	begin_aside();
	ask(3, ORDER(DO_WAIT));
	ask_reply(4);
	wait_for_file(4 * SLOW_MS - 1);
	expect_nothing();
	wait_for_file(1);
	expect_tagged(3, -EBUSY, false);
	expect_tagged(4, -EAGAIN, false);
	ask_reply(5);
	ck_assert_uint_eq(worker_line_nr_workers(line), 3);
	expect_tagged(5, 0, false);
	ck_assert_int_eq(write(gate[1], "x", 1), 1);
	expect_tagged(1, 0, true);
}
END_TEST

static void expect_death(uint32_t tag)
{
	ask(tag, ORDER(DO_DIE));
	expect_reply(tag, -EIO);
}

START_TEST(workers_come_back_one_by_one)
{
	for (uint32_t i = 0; i < WORKERS_MAX; i++)
		expect_death(i);
	ck_assert_int_eq(request(50, ORDER(DO_DIE), ORDER(DO_NOTHING)), -EIO);
	now_ns += WORKER_BACK_NS - 1;
	ck_assert_int_eq(request(50, ORDER(DO_DIE), ORDER(DO_NOTHING)), -EIO);
	now_ns++;
	expect_death(51);
	ck_assert_int_eq(request(52, ORDER(DO_DIE), ORDER(DO_NOTHING)), -EIO);
	/* No more than these come back in any time. */
	now_ns += 1000 * WORKER_BACK_NS;
	for (uint32_t i = 0; i < WORKERS_MAX; i++)
		expect_death(i);
	ck_assert_int_eq(request(53, ORDER(DO_DIE), ORDER(DO_NOTHING)), -EIO);
	ck_assert_uint_eq(worker_line_nr_workers(line), 2 * WORKERS_MAX + 1);
	ck_assert(!worker_line_wants_processor(line));
}
END_TEST

START_TEST(a_worker_that_chooses_its_order)
{
	start(true);
	ck_assert_int_eq(request(1, TAGGED(DO_BEGIN, 3), TAGGED(DO_REPLY, 3)), 0);
	ck_assert_int_eq(request(2, TAGGED(DO_BEGIN, 1), TAGGED(DO_REPLY, 1)), 0);
	ask(3, TAGGED(DO_BEGIN, 4));
	ck_assert_int_eq(request(4, ORDER(DO_WAIT), ORDER(DO_DIE)), 0);
	ask_reply(5);
	expect_reply(3, 0);
	expect_reply(1, 0);
	ck_assert_int_eq(write(gate[1], "x", 1), 1);
	expect_reply(4, -EIO);
	expect_reply(2, -EAGAIN);
	expect_reply(5, -EAGAIN);
}
END_TEST

START_TEST(nobody_is_to_blame_before_the_worker_begins)
{
	start(true);
	ck_assert_int_eq(request(1, ORDER(DO_WAIT), ORDER(DO_DIE)), 0);
	ask_reply(2);
	ck_assert_int_eq(write(gate[1], "x", 1), 1);
	expect_reply(1, -EAGAIN);
	expect_reply(2, -EAGAIN);
	/* After a reply, it has begun with none of the others. */
	ck_assert_int_eq(request(3, TAGGED(DO_BEGIN, 3), TAGGED(DO_REPLY, 3)), 0);
	ask(4, ORDER(DO_DIE));
	expect_reply(3, 0);
	expect_reply(4, -EAGAIN);
}
END_TEST

/* A worker that says what it must not say is as good as dead. */
START_TEST(messages_that_make_no_sense)
{
	static const struct {
		bool tells_begin;
		struct order first, second;
		int status;
	} cases[] = {
		{false, {DO_REPLY, 2, 0}, {DO_NOTHING, 0, 0}, -EIO},
		{false, {DO_REPLY, 1, BAD_STATUS}, {DO_NOTHING, 0, 0}, -EIO},
		{false, {DO_BEGIN, 1, 0}, {DO_NOTHING, 0, 0}, -EIO},
		{true, {DO_BEGIN, 7, 0}, {DO_NOTHING, 0, 0}, -EAGAIN},
		{true, {DO_BEGIN, 1, 0}, {DO_BEGIN, 1, 0}, -EIO},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		start(cases[i].tells_begin);
		ck_assert_int_eq(request(1, cases[i].first, cases[i].second), 0);
		expect_reply(1, cases[i].status);
		ask(2, ORDER(DO_DIE));
		ck_assert_uint_eq(worker_line_nr_workers(line), 2);
	}
}
END_TEST

START_TEST(too_many_requests_wait)
{
	ck_assert_int_eq(request(0, ORDER(DO_WAIT), TAGGED(DO_REPLY, 0)), 0);
	for (uint32_t tag = 1; tag < WORKER_WAITING_MAX; tag++)
		ask_reply(tag);
	ck_assert_int_eq(request(99, ORDER(DO_NOTHING), ORDER(DO_NOTHING)), -EAGAIN);
	ck_assert_int_eq(write(gate[1], "x", 1), 1);
	for (uint32_t tag = 0; tag < WORKER_WAITING_MAX; tag++)
		expect_reply(tag, 0);
}
END_TEST

/* When the child has read what is in the socket, the line has news. */
START_TEST(a_socket_without_room)
{
	static char bytes[LARGE_BYTES];
	const struct worker_request large = {.tag = 2, .bytes = bytes, .nr = LARGE_BYTES, .fd = -1};
	struct pollfd poll_fd = {.fd = worker_line_fd(line), .events = POLLIN};
	int ret = 0;

	ask(1, ORDER(DO_WAIT));
	while (!ret)
		ret = worker_line_request(line, &large);
	ck_assert_int_eq(ret, -EAGAIN);
	ck_assert(!has_news());
	ck_assert_int_eq(write(gate[1], "x", 1), 1);
	ck_assert_int_eq(poll(&poll_fd, 1, -1), 1);
	expect_nothing();
	ck_assert(!has_news());
	ck_assert_int_eq(worker_line_request(line, &large), 0);
}
END_TEST

START_TEST(a_worker_that_wants_a_processor)
{
	static const char states[] = {'R', 'S', 'D', 'Z', '\0'};

	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		state = states[i];
		ck_assert_int_eq(worker_line_wants_processor(line), state == 'R');
	}
}
END_TEST

START_TEST(memory_by_its_seals)
{
	static const struct {
		int seals;
		bool is_sealed;
	} cases[] = {{0, false},
		     {F_SEAL_WRITE, false},
		     {F_SEAL_SHRINK, false},
		     {F_SEAL_GROW, false},
		     {F_SEAL_WRITE | F_SEAL_SHRINK, true},
		     {F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW, true}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int fd = memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);

		ck_assert_int_eq(write(fd, "abc", 3), 3);
		ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, cases[i].seals), 0);
		ck_assert_int_eq(worker_memory_is_sealed(fd), cases[i].is_sealed);
		ck_assert_int_eq(lseek(fd, 0, SEEK_CUR), cases[i].is_sealed ? 0 : 3);
		close(fd);
	}
	ck_assert(!worker_memory_is_sealed(-1));
	ck_assert(!worker_memory_is_sealed(gate[0]));
}
END_TEST

SUITE_MAIN_WITH("worker_line", begin, end, replies_come_in_order, a_worker_dies_of_a_request,
		a_worker_dies_without_a_request, a_request_finds_a_stopped_worker,
		the_timer_finds_a_stopped_worker, a_worker_that_waits_for_too_long,
		a_worker_that_still_waits_for_a_processor,
		the_cpu_time_of_a_request_that_waits_for_too_long,
		the_next_request_has_a_time_of_its_own, a_worker_steps_aside,
		a_worker_that_stepped_aside_waits_for_too_long, a_worker_that_stepped_aside_dies,
		stopped_workers_do_not_wait_for_files, two_slow_workers,
		workers_come_back_one_by_one, a_worker_that_chooses_its_order,
		nobody_is_to_blame_before_the_worker_begins, messages_that_make_no_sense,
		too_many_requests_wait, a_socket_without_room, a_worker_that_wants_a_processor,
		memory_by_its_seals)
