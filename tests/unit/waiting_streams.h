/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that wait for bytes: of pipes and of sockets (tests/unit/waiting_calls.h). */
#ifndef TESTS_WAITING_STREAMS_H
#define TESTS_WAITING_STREAMS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/suite.h"

#define MUCH_BYTES (1 << 20)
#define HOUR_S     3600

/* What the child waits for, and how its call has ended. */
struct scene {
	pid_t pid;
	int fd[3]; /* the child's end, the test's, and another one */
	int id;
	sem_t sem;
	uint32_t word;
	pid_t grandchild;
	aio_context_t aio;
	size_t nr_before; /* bytes that filled the way to the test */
	size_t nr_drained;
	volatile int may_begin, has_begun, has_ended, nr_handled;
	long ret;
	int error;
};

static char much[MUCH_BYTES];
static const struct timespec hour = {.tv_sec = HOUR_S};

static void make_pipe(struct scene *s)
{
	ck_assert_int_eq(pipe(s->fd), 0);
}

/* Fills what @fd leads to with bytes, @nr at a time. */
static size_t fill(int fd, size_t nr)
{
	int flags = fcntl(fd, F_GETFL);
	size_t sum = 0;
	ssize_t written;

	ck_assert_int_eq(fcntl(fd, F_SETFL, flags | O_NONBLOCK), 0);
	while ((written = write(fd, much, nr)) > 0)
		sum += written;
	ck_assert_int_eq(errno, EAGAIN);
	ck_assert_int_eq(fcntl(fd, F_SETFL, flags), 0);
	return sum;
}

static bool drain_some(struct scene *s)
{
	ssize_t nr = read(s->fd[1], much, sizeof(much));

	s->nr_drained += nr > 0 ? nr : 0;
	return nr > 0;
}

static void drain(struct scene *s)
{
	drain_some(s);
}

static void prepare_drain(struct scene *s)
{
	ck_assert_int_eq(fcntl(s->fd[1], F_SETFL, O_NONBLOCK), 0);
}

static void make_pipe_back(struct scene *s)
{
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	s->fd[0] = ends[1];
	s->fd[1] = ends[0];
	prepare_drain(s);
}

static void make_full_pipe(struct scene *s)
{
	make_pipe_back(s);
	s->nr_before = fill(s->fd[0], 4096);
}

static void make_sockets(struct scene *s)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, s->fd), 0);
}

static void limit_time(int fd)
{
	const struct timeval limit = {.tv_sec = HOUR_S};

	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)), 0);
}

static void make_limited_sockets(struct scene *s)
{
	make_sockets(s);
	limit_time(s->fd[0]);
}

static void make_datagrams(struct scene *s)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, s->fd), 0);
	limit_time(s->fd[0]);
}

static void make_full_sockets(struct scene *s)
{
	make_sockets(s);
	prepare_drain(s);
	s->nr_before = fill(s->fd[0], 1024);
}

static void make_full_limited_sockets(struct scene *s)
{
	make_full_sockets(s);
	limit_time(s->fd[0]);
}

static void make_sockets_back(struct scene *s)
{
	make_sockets(s);
	prepare_drain(s);
}

/* A socket that nobody connects to yet, and where none is accepted yet. */
static void make_listener(struct scene *s)
{
	const struct sockaddr_un any = {.sun_family = AF_UNIX};

	for (int i = 0; i < 2; i++)
		s->fd[i] = socket(AF_UNIX, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(s->fd[0], (const void *)&any, sizeof(sa_family_t)), 0);
	ck_assert_int_eq(listen(s->fd[0], 0), 0);
}

static void make_limited_listener(struct scene *s)
{
	make_listener(s);
	limit_time(s->fd[0]);
}

static int connect_to(int fd, int listener)
{
	struct sockaddr_un at;
	socklen_t size = sizeof(at);

	if (getsockname(listener, (void *)&at, &size))
		return -1;
	return connect(fd, (void *)&at, size);
}

/* It has one that waits, and no room for another one. */
static void make_full_listener(struct scene *s)
{
	make_listener(s);
	ck_assert_int_eq(connect_to(s->fd[1], s->fd[0]), 0);
	s->fd[2] = socket(AF_UNIX, SOCK_STREAM, 0);
}

static void make_full_limited_listener(struct scene *s)
{
	make_full_listener(s);
	limit_time(s->fd[2]);
}

static void write_byte(struct scene *s)
{
	ck_assert_int_eq(write(s->fd[1], "x\n", 2), 2);
}

static void fill_more(struct scene *s)
{
	ck_assert_int_eq(send(s->fd[1], much, 4096, 0), 4096);
}

static void connect_now(struct scene *s)
{
	ck_assert_int_eq(connect_to(s->fd[1], s->fd[0]), 0);
}

static void accept_now(struct scene *s)
{
	close(accept(s->fd[0], NULL, NULL));
}

static long call_read(struct scene *s)
{
	char text[8];

	return read(s->fd[0], text, sizeof(text));
}

static long call_readv(struct scene *s)
{
	char text[8];
	const struct iovec iov = {text, sizeof(text)};

	return readv(s->fd[0], &iov, 1);
}

static long call_write(struct scene *s)
{
	return write(s->fd[0], "x", 1);
}

static long call_writev(struct scene *s)
{
	struct iovec iov = {much, 1};

	return writev(s->fd[0], &iov, 1);
}

static long write_much(struct scene *s)
{
	return write(s->fd[0], much, sizeof(much));
}

static long call_recv(struct scene *s)
{
	char text[8];

	return recv(s->fd[0], text, sizeof(text), 0);
}

static long recv_all(struct scene *s)
{
	static char text[8192];

	return recv(s->fd[0], text, sizeof(text), MSG_WAITALL);
}

static void begin_recv_all(struct scene *s)
{
	fill_more(s);
}

static long call_recvmsg(struct scene *s)
{
	char text[8];
	struct iovec iov = {text, sizeof(text)};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	return recvmsg(s->fd[0], &msg, 0);
}

static long recv_many(struct scene *s, unsigned int nr)
{
	char text[8];
	struct iovec iov = {text, sizeof(text)};
	struct mmsghdr msgs[2] = {{.msg_hdr = {.msg_iov = &iov, .msg_iovlen = 1}},
				  {.msg_hdr = {.msg_iov = &iov, .msg_iovlen = 1}}};

	return recvmmsg(s->fd[0], msgs, nr, 0, NULL);
}

static long call_recvmmsg(struct scene *s)
{
	return recv_many(s, 1);
}

static long recv_two(struct scene *s)
{
	return recv_many(s, 2);
}

static long call_send(struct scene *s)
{
	return send(s->fd[0], "x", 1, 0);
}

static long call_sendmsg(struct scene *s)
{
	struct iovec iov = {much, 1};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};

	return sendmsg(s->fd[0], &msg, 0);
}

static long call_sendmmsg(struct scene *s)
{
	struct iovec iov = {much, 1};
	struct mmsghdr msg = {.msg_hdr = {.msg_iov = &iov, .msg_iovlen = 1}};

	return sendmmsg(s->fd[0], &msg, 1, 0);
}

static long send_much(struct scene *s)
{
	return send(s->fd[0], much, sizeof(much), 0);
}

/* The numbers of new files differ from run to run. */
static long call_accept(struct scene *s)
{
	return accept(s->fd[0], NULL, NULL) < 0 ? -1 : 0;
}

static long call_accept4(struct scene *s)
{
	return accept4(s->fd[0], NULL, NULL, SOCK_CLOEXEC) < 0 ? -1 : 0;
}

static long call_connect(struct scene *s)
{
	return connect_to(s->fd[2], s->fd[0]);
}

static long call_splice(struct scene *s)
{
	int ends[2];

	return pipe(ends) ? -1 : splice(s->fd[0], NULL, ends[1], NULL, 8, 0);
}

#endif
