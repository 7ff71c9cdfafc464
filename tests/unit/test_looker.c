// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/looker.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/clock.h"
#include "common/readfile.h"
#include "record/looks/proc_info.h"
#include "tests/unit/suite.h"

#define DEVICE look_device(7)

static struct looker *looker;

static void begin(void)
{
	struct err err = {0};

	ck_assert_int_eq(looker_start(false, &looker, &err), 0);
}

static void end(void)
{
	looker_destroy(looker);
	looker = NULL;
}

static int ask(look_fn fn, const char *text, struct look_answer *answer)
{
	const struct look_question question = {
		.fn = fn, .bytes = text, .nr = strlen(text) + 1, .fd = -1};

	return looker_ask(looker, &question, answer);
}

/* Answers with the question and its own id, after a touch of the device in the question. */
static int echo(struct look *look)
{
	pid_t pid = getpid();
	int ret = look_touch(look, look_device(*(const char *)look->question));

	if (ret)
		return ret;
	ck_assert(look_answer_append(look, &pid, sizeof(pid)));
	ck_assert(look_answer_append(look, look->question, look->nr_question));
	return 0;
}

static pid_t echo_of(const char *text)
{
	struct look_answer answer;
	pid_t pid;

	ck_assert_int_eq(ask(echo, text, &answer), 0);
	ck_assert_uint_eq(answer.nr, sizeof(pid) + strlen(text) + 1);
	ck_assert_str_eq(answer.bytes + sizeof(pid), text);
	ck_assert_int_eq(answer.fd, -1);
	memcpy(&pid, answer.bytes, sizeof(pid));
	return pid;
}

/* A child that was killed ends when it has a processor. Somebody may have waited for it before. */
static void expect_end(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	ck_assert_int_eq(kill(pid, 0), -1);
}

START_TEST(answers)
{
	pid_t pid = echo_of("question");

	ck_assert_int_ne(pid, getpid());
	ck_assert_int_eq(echo_of("another"), pid);
	ck_assert(looker_is_child(looker, pid));
	ck_assert(!looker_is_child(looker, getpid()));
	ck_assert(!looker_is_child(NULL, pid));
	ck_assert_uint_eq(looker_nr_given_up(looker), 0);
	end();
	expect_end(pid);
	ck_assert_msg(echo_of("without a looker") == getpid(), "asked itself");
}
END_TEST

/* Sends back what it can read from the descriptor. */
static int pass_on(struct look *look)
{
	char text[64];
	ssize_t n = pread(look->fd, text, sizeof(text), 0);

	look->answer_fd = memfd_create("answer", MFD_CLOEXEC);
	return n < 0 || pwrite(look->answer_fd, text, n, 0) != n ? -EIO : -EDOM;
}

START_TEST(descriptors_go_both_ways)
{
	struct look_question question = {.fn = pass_on, .bytes = "", .nr = 1};
	struct look_answer answer;
	char text[8] = "";

	question.fd = memfd_create("question", MFD_CLOEXEC);
	ck_assert_int_eq(pwrite(question.fd, "text", 4, 0), 4);
	ck_assert_int_eq(looker_ask(looker, &question, &answer), -EDOM);
	ck_assert_int_eq(pread(answer.fd, text, sizeof(text), 0), 4);
	ck_assert_str_eq(text, "text");
	close(answer.fd);
	close(question.fd);
}
END_TEST

static int hang(struct look *look)
{
	int ret = look_touch(look, DEVICE);

	if (ret)
		return ret;
	for (;;)
		pause();
}

START_TEST(a_touch_that_does_not_end)
{
	pid_t pid = echo_of("before");
	struct look_answer answer;

	ck_assert_int_eq(ask(hang, "", &answer), -ETIMEDOUT);
	ck_assert_uint_eq(answer.nr, 0);
	ck_assert_uint_eq(looker_nr_given_up(looker), 1);
	/* Nobody touches the device any more; others are touched. */
	ck_assert_int_eq(ask(hang, "", &answer), -EHOSTDOWN);
	ck_assert_uint_eq(looker_nr_given_up(looker), 2);
	ck_assert_int_ne(echo_of("after"), pid);
	expect_end(pid);
	looker_blame(looker, look_device('x'));
	ck_assert_int_eq(ask(echo, "x", &answer), -EHOSTDOWN);
}
END_TEST

/* As hang, with a different device each time. */
static int hang_anew(struct look *look)
{
	int ret = look_touch(look, look_device(100 + *(const char *)look->question));

	if (ret)
		return ret;
	for (;;)
		pause();
}

/* However many devices there are, the recorder does not wait for ever. */
START_TEST(many_devices)
{
	struct look_answer answer;
	unsigned int nr = 0;

	for (char c = 'a'; c <= 'z'; c++)
		nr += ask(hang_anew, (char[]){c, '\0'}, &answer) == -ETIMEDOUT;
	ck_assert_uint_ge(nr, 2);
	ck_assert_uint_le(nr, 9);
	ck_assert_int_eq(ask(echo, "question", &answer), -EHOSTDOWN);
}
END_TEST

/* A touch that takes a fifth of a second, and ends. */
static int dawdle(struct look *look)
{
	const struct timespec fifth = {.tv_nsec = 200 * NS_PER_MS};
	int ret = look_touch(look, DEVICE);

	if (!ret)
		nanosleep(&fifth, NULL);
	return ret;
}

/* A device that answers slowly is given up, too. */
START_TEST(slow_touches)
{
	struct look_answer answer;
	unsigned int nr = 0;

	while (!ask(dawdle, "", &answer))
		ck_assert_uint_lt(++nr, 100);
	ck_assert_uint_ge(nr, 1);
	ck_assert_int_eq(ask(dawdle, "", &answer), -EHOSTDOWN);
	echo_of("another device");
}
END_TEST

/* As ask, about a process of another user. */
static int ask_about(pid_t pid, look_fn fn, const char *text)
{
	const struct look_question question = {
		.fn = fn, .bytes = text, .nr = strlen(text) + 1, .fd = -1, .pid = pid};
	struct look_answer answer;

	return looker_ask(looker, &question, &answer);
}

static pid_t begin_other(uid_t uid)
{
	pid_t pid = fork();

	if (!pid && setresuid(uid, uid, uid))
		_exit(1);
	while (!pid)
		pause();
	return pid;
}

static void wait_for_user(pid_t pid, uid_t uid)
{
	struct stat st = {0};
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	while (st.st_uid != uid)
		ck_assert_int_eq(stat(path, &st), 0);
}

static void end_other(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A touch that no limit calls slow. */
static int linger(struct look *look)
{
	const struct timespec while_ = {.tv_nsec = 35 * NS_PER_MS};
	int ret = look_touch(look, DEVICE);

	if (!ret)
		nanosleep(&while_, NULL);
	return ret;
}

/* What one user's processes take of the recorder's time is theirs, and ends. */
START_TEST(touches_that_are_nearly_slow)
{
	uint64_t begin_ns = clock_monotonic_ns();
	unsigned int nr = 0;
	pid_t slow, other;
	uint32_t uid;

	if (geteuid())
		SKIP_TEST("needs root");
	slow = begin_other(54321);
	other = begin_other(54322);
	wait_for_user(slow, 54321);
	wait_for_user(other, 54322);
	while (!ask_about(slow, linger, ""))
		ck_assert_uint_lt(++nr, 100);
	ck_assert_uint_ge(nr, 5);
	ck_assert_uint_lt(clock_monotonic_ns() - begin_ns, 60 * NS_PER_S);
	ck_assert_int_eq(ask_about(slow, linger, ""), -EHOSTDOWN);
	ck_assert_int_eq(ask_about(other, linger, ""), 0);
	ck_assert_int_eq(ask_about(0, linger, ""), 0);
	ck_assert_uint_eq(looker_most_given_up(looker, &uid), 2);
	ck_assert_uint_eq(uid, 54321);
	end_other(slow);
	end_other(other);
}
END_TEST

/* A child that somebody stops is replaced, and nobody is blamed. */
START_TEST(a_looker_that_is_stopped)
{
	pid_t pid = echo_of("before");

	ck_assert_int_eq(kill(pid, SIGSTOP), 0);
	ck_assert_int_ne(echo_of("after"), pid);
	ck_assert_uint_eq(looker_nr_stopped(looker), 1);
	ck_assert_uint_eq(looker_nr_given_up(looker), 0);
}
END_TEST

/* Longer than a touch may wait. */
static int compute(struct look *look)
{
	uint64_t begin_ns = clock_monotonic_ns();

	if (look_touch(look, DEVICE))
		return -EHOSTDOWN;
	while (clock_monotonic_ns() - begin_ns < 1200 * NS_PER_MS)
		;
	return 0;
}

START_TEST(a_looker_that_computes)
{
	struct look_answer answer;

	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(ask(compute, "", &answer), 0);
	ck_assert_uint_gt(looker_cpu_ns(looker), 0);
}
END_TEST

static int die(struct look *look)
{
	(void)look;
	_exit(3);
}

START_TEST(a_looker_that_dies)
{
	struct look_answer answer;
	pid_t pid = echo_of("before");

	ck_assert_int_eq(ask(die, "", &answer), -EIO);
	ck_assert_int_ne(echo_of("after"), pid);
	pid = echo_of("again");
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	/* The end of the socket may come before or after the question. */
	ask(echo, "perhaps", &answer);
	ck_assert_int_ne(echo_of("after"), pid);
}
END_TEST

/* It holds no descriptors of the recorder: pipes end when the recorder closes them. */
START_TEST(descriptors_of_the_recorder)
{
	int ends[2];
	char byte;

	end();
	ck_assert_int_eq(pipe(ends), 0);
	begin();
	echo_of("it has begun");
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}
END_TEST

START_TEST(privileges)
{
	uint64_t allowed = UINT64_C(1) << CAP_SYS_PTRACE | UINT64_C(1) << CAP_DAC_READ_SEARCH |
			   UINT64_C(1) << CAP_CHECKPOINT_RESTORE;
	char path[64];
	char_vec text = {0};
	const char *have;

	snprintf(path, sizeof(path), "/proc/%d/status", echo_of("it has begun"));
	ck_assert_int_eq(read_file(path, 1 << 16, &text), 0);
	have = strstr(text.data, "\nCapPrm:");
	ck_assert_ptr_nonnull(have);
	ck_assert_uint_eq(strtoull(have + 8, NULL, 16) & ~allowed, 0);
	ck_assert_ptr_nonnull(strstr(text.data, "\nNoNewPrivs:\t1\n"));
	vec_free(&text);
}
END_TEST

SUITE_MAIN_WITH("looker", begin, end, answers, descriptors_go_both_ways, a_touch_that_does_not_end,
		many_devices, slow_touches, touches_that_are_nearly_slow, a_looker_that_is_stopped,
		a_looker_that_computes, a_looker_that_dies, descriptors_of_the_recorder, privileges)
