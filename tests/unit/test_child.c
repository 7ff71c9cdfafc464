// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/children/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/suite.h"

/* No process has these ids, which are above PID_MAX_LIMIT. */
#define NO_PID 5000001

/* The ends of children without a process: how often waitpid says what. */
static struct {
	bool is_on;
	int nr_interrupted; /* times that it is interrupted */
	pid_t ended;        /* which of them has ended; 0: none */
	unsigned int nr;    /* calls */
} played;

pid_t __real_waitpid(pid_t pid, int *status, int flags);
pid_t __wrap_waitpid(pid_t pid, int *status, int flags);

pid_t __wrap_waitpid(pid_t pid, int *status, int flags)
{
	if (!played.is_on)
		return __real_waitpid(pid, status, flags);
	ck_assert_int_eq(flags, WNOHANG);
	played.nr++;
	if (played.nr_interrupted) {
		played.nr_interrupted--;
		errno = EINTR;
		return -1;
	}
	return pid == played.ended ? pid : 0;
}

static int status_of(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Returns a number that says what is wrong in the child, or 0. */
static int look_after_begin(int sock)
{
	char name[16] = "", byte;
	sigset_t blocked;

	if (child_begin(sock, "named"))
		return 1;
	prctl(PR_GET_NAME, name);
	if (strcmp(name, "named") != 0)
		return 2;
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	if (!sigismember(&blocked, SIGINT) || !sigismember(&blocked, SIGTERM))
		return 3;
	for (int fd = STDIN_FILENO + 1; fd < 64; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			return 4;
	return read(STDIN_FILENO, &byte, 1) == 1 && byte == 'x' ? 0 : 5;
}

START_TEST(a_child_keeps_its_socket_alone)
{
	for (int is_stdin = 0; is_stdin < 2; is_stdin++) {
		int socks[2];
		pid_t pid;

		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, socks), 0);
		ck_assert_int_eq(write(socks[0], "x", 1), 1);
		pid = fork();
		if (!pid) {
			int sock = is_stdin ? dup2(socks[1], STDIN_FILENO) : socks[1];

			_exit(look_after_begin(sock));
		}
		ck_assert_int_eq(status_of(pid), 0);
		close(socks[0]);
		close(socks[1]);
	}
}
END_TEST

START_TEST(a_child_without_a_socket)
{
	pid_t pid = fork();

	if (!pid)
		_exit(child_begin(-1, "named") == -EBADF ? 0 : 1);
	ck_assert_int_eq(status_of(pid), 0);
}
END_TEST

START_TEST(a_child_dies_with_its_parent)
{
	const pid_t parent = getpid();
	pid_t pid = fork();

	if (!pid) {
		int signal = 0;

		if (child_die_with(parent + 1) != -ESRCH)
			_exit(1);
		prctl(PR_SET_PDEATHSIG, 0);
		if (child_die_with(parent) || prctl(PR_GET_PDEATHSIG, &signal))
			_exit(2);
		_exit(signal == SIGKILL ? 0 : 3);
	}
	ck_assert_int_eq(status_of(pid), 0);
}
END_TEST

static pid_t start_child(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	ck_assert_int_gt(pid, 0);
	return pid;
}

START_TEST(the_state_of_a_child)
{
	struct lost_children lost = {0};
	pid_t pid = start_child();
	siginfo_t info;

	ck_assert_int_eq(child_state(getpid()), 'R');
	ck_assert_int_eq(kill(pid, SIGSTOP), 0);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOWAIT), 0);
	ck_assert_int_eq(child_state(pid), 'T');
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(child_state(pid), 'Z');
	child_end(pid, &lost);
	ck_assert_int_eq(child_state(pid), 0);
	ck_assert_int_eq(child_state(NO_PID), 0);
}
END_TEST

START_TEST(a_child_ends)
{
	struct lost_children lost = {0};
	pid_t pid = start_child();

	child_end(pid, &lost);
	/* It is reaped here or, on a slow machine, later. */
	while (lost.nr)
		lost_children_reap(&lost);
	ck_assert_int_lt(waitpid(pid, NULL, 0), 0);
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(children_that_do_not_end)
{
	struct lost_children lost = {0};

	played.is_on = true;
	for (int i = 0; i < LOST_CHILDREN_MAX + 2; i++) {
		child_end(NO_PID + i, &lost);
		ck_assert_uint_eq(lost.nr, i < LOST_CHILDREN_MAX ? i + 1 : LOST_CHILDREN_MAX);
	}
	/* One that ends late makes room for another. */
	played.ended = NO_PID + 1;
	child_end(NO_PID + 100, &lost);
	ck_assert_uint_eq(lost.nr, LOST_CHILDREN_MAX);
	ck_assert_int_eq(lost.pids[0], NO_PID);
	ck_assert_int_eq(lost.pids[1], NO_PID + 2);
	ck_assert_int_eq(lost.pids[LOST_CHILDREN_MAX - 1], NO_PID + 100);
	played.ended = NO_PID + 100;
	lost_children_reap(&lost);
	ck_assert_uint_eq(lost.nr, LOST_CHILDREN_MAX - 1);
}
END_TEST

START_TEST(a_wait_that_is_interrupted)
{
	struct lost_children lost = {.nr = 1, .pids = {NO_PID}};

	played.is_on = true;
	played.nr_interrupted = 2;
	lost_children_reap(&lost);
	ck_assert_uint_eq(played.nr, 3);
	ck_assert_uint_eq(lost.nr, 1);
}
END_TEST

SUITE_MAIN("child", a_child_keeps_its_socket_alone, a_child_without_a_socket,
	   a_child_dies_with_its_parent, the_state_of_a_child, a_child_ends,
	   children_that_do_not_end, a_wait_that_is_interrupted)
