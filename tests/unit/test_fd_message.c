// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/children/fd_message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/suite.h"

static int socks[2];

static void begin(void)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks), 0);
}

static void end(void)
{
	close(socks[0]);
	close(socks[1]);
}

static void send_text(const char *text, int fd)
{
	ck_assert_int_eq(fd_message_send(socks[0], text, strlen(text), fd), 0);
}

static bool is_same_file(int fd, int other)
{
	struct stat a, b;

	ck_assert_int_eq(fstat(fd, &a), 0);
	ck_assert_int_eq(fstat(other, &b), 0);
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

START_TEST(messages_with_and_without_a_descriptor)
{
	char text[6] = "";
	int fd = 77, pipe_fds[2];

	ck_assert_int_eq(pipe2(pipe_fds, O_CLOEXEC), 0);
	send_text("first", -1);
	send_text("other", pipe_fds[0]);
	ck_assert_int_eq(fd_message_receive(socks[1], text, 5, &fd), 0);
	ck_assert_str_eq(text, "first");
	ck_assert_int_eq(fd, -1);
	ck_assert_int_eq(fd_message_receive_now(socks[1], text, 5, &fd), 0);
	ck_assert_str_eq(text, "other");
	ck_assert_int_ge(fd, 0);
	ck_assert_int_ne(fd, pipe_fds[0]);
	ck_assert(is_same_file(fd, pipe_fds[0]));
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
}
END_TEST

START_TEST(messages_of_any_length)
{
	char text[6] = "";
	size_t len = 5;
	int fd;

	send_text("abc", STDERR_FILENO);
	ck_assert_int_eq(fd_message_receive_some(socks[1], text, &len, &fd), 0);
	ck_assert_uint_eq(len, 3);
	ck_assert_str_eq(text, "abc");
	ck_assert(is_same_file(fd, STDERR_FILENO));
	close(fd);
}
END_TEST

/* A message of another length is refused, and its descriptor is closed. */
START_TEST(messages_of_the_wrong_length)
{
	char text[6];
	const int next = dup(STDERR_FILENO);
	int fd = 77;

	close(next);
	for (size_t len = 4; len <= 6; len += 2) {
		send_text("abcde", STDERR_FILENO);
		ck_assert_int_eq(fd_message_receive(socks[1], text, len, &fd), -EBADMSG);
		ck_assert_int_eq(fd, 77);
		ck_assert_int_lt(fcntl(next, F_GETFD), 0);
	}
}
END_TEST

START_TEST(nothing_has_come)
{
	char text[6];
	int fd;

	ck_assert_int_eq(fd_message_receive_now(socks[1], text, 5, &fd), -EAGAIN);
	close(socks[0]);
	socks[0] = -1;
	ck_assert_int_eq(fd_message_receive(socks[1], text, 5, &fd), -ENOTCONN);
	ck_assert_int_eq(fd_message_send(socks[1], text, 5, -1), -EPIPE);
	ck_assert_int_eq(fd_message_receive(-1, text, 5, &fd), -EBADF);
}
END_TEST

SUITE_MAIN_WITH("fd_message", begin, end, messages_with_and_without_a_descriptor,
		messages_of_any_length, messages_of_the_wrong_length, nothing_has_come)
