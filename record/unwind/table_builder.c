// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_builder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/system/child.h"
#include "record/system/fd_message.h"
#include "record/unwind/table_worker.h"

/* Requests that wait. Each is a descriptor on its way to the worker. */
#define WAITING_MAX 64

/*
 * Workers in one recording. If so many died, somebody makes files that kill them, or they are
 * broken.
 */
#define WORKERS_MAX 32

/*
 * Time for one table. A table takes a fraction of it, but a file may be on a server that does not
 * answer.
 */
#define TABLE_SECONDS_MAX 20

struct table_builder {
	pid_t pid;                     /* of the worker */
	int sock;                      /* to it; -1: there is none */
	int timer_fd;                  /* readable when it takes too long */
	int epoll_fd;                  /* of both */
	unsigned int nr_workers;       /* so far */
	uint32_t waiting[WAITING_MAX]; /* tags of requests, which are in the worker's socket */
	size_t nr_waiting;
	size_t nr_lost; /* the first requests went away with an earlier worker */
	struct lost_children left;
};

/* 0: never. */
static void set_timer(struct table_builder *b, time_t seconds)
{
	const struct itimerspec spec = {.it_value.tv_sec = seconds};

	timerfd_settime(b->timer_fd, 0, &spec, NULL);
}

static void end_worker(struct table_builder *b)
{
	if (b->sock < 0)
		return;
	/* A process that was forked meanwhile may hold the socket open. */
	epoll_ctl(b->epoll_fd, EPOLL_CTL_DEL, b->sock, NULL);
	close(b->sock);
	b->sock = -1;
	set_timer(b, 0);
	/* The worker may have closed its end and live on. */
	child_end(b->pid, &b->left);
}

static bool is_time_up(const struct table_builder *b)
{
	uint64_t expirations;

	return read(b->timer_fd, &expirations, sizeof(expirations)) == sizeof(expirations);
}

static int watch_fd(const struct table_builder *b, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(b->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int start_worker(struct table_builder *b)
{
	int socks[2], ret;
	pid_t pid;

	if (b->nr_workers == WORKERS_MAX)
		return -EIO;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks))
		return -errno;
	b->nr_workers++;
	pid = fork();
	if (!pid)
		table_worker_run(socks[1]);
	ret = -errno;
	close(socks[1]);
	if (pid < 0) {
		close(socks[0]);
		return ret;
	}
	b->pid = pid;
	b->sock = socks[0];
	ret = fcntl(b->sock, F_SETFL, O_NONBLOCK) ? -errno : watch_fd(b, b->sock);
	if (ret)
		end_worker(b);
	return ret;
}

/* The worker gets a time for each request. */
static void restart_timer(struct table_builder *b)
{
	set_timer(b, b->nr_waiting > b->nr_lost ? TABLE_SECONDS_MAX : 0);
}

static void remove_first(struct table_builder *b)
{
	b->nr_waiting--;
	memmove(&b->waiting[0], &b->waiting[1], b->nr_waiting * sizeof(b->waiting[0]));
}

int table_builder_start(struct table_builder **builder, struct err *err)
{
	struct table_builder *b = calloc(1, sizeof(*b));
	int ret;

	if (!b)
		return err_set(err, -ENOMEM, "failed to start the table builder: %s",
			       strerror(ENOMEM));
	b->sock = -1;
	b->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	b->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	ret = b->timer_fd < 0 || b->epoll_fd < 0 ? -errno : watch_fd(b, b->timer_fd);
	if (!ret)
		ret = start_worker(b);
	if (ret) {
		table_builder_destroy(b);
		return err_set(err, ret, "failed to start the table builder: %s", strerror(-ret));
	}
	*builder = b;
	return 0;
}

int table_builder_sock(struct table_builder *b, int *sock)
{
	int ret = 0;

	if (b->nr_waiting == WAITING_MAX)
		return -EAGAIN;
	if (b->sock < 0)
		ret = start_worker(b);
	if (!ret)
		*sock = b->sock;
	return ret;
}

void table_builder_expect(struct table_builder *b, uint32_t tag)
{
	b->waiting[b->nr_waiting++] = tag;
	if (b->nr_waiting == b->nr_lost + 1)
		restart_timer(b);
}

int table_builder_request(struct table_builder *b, int fd, uint32_t tag, const uint8_t *known)
{
	const struct table_request request = table_request_make(tag, known);
	int sock, ret = fd < 0 ? -EBADF : table_builder_sock(b, &sock);

	if (!ret)
		ret = fd_message_send(sock, &request, sizeof(request), fd);
	/* The worker has died without a request. */
	if ((ret == -EPIPE || ret == -ECONNRESET) && b->nr_waiting == b->nr_lost) {
		end_worker(b);
		ret = table_builder_sock(b, &sock);
		if (!ret)
			ret = fd_message_send(sock, &request, sizeof(request), fd);
	}
	if (!ret)
		table_builder_expect(b, tag);
	return ret;
}

int table_builder_fd(const struct table_builder *b)
{
	return b->epoll_fd;
}

/*
 * Reads the table that the worker claims is in @fd. The seals prove that it is memory that the
 * worker cannot change any more.
 */
static int read_table(int fd, struct unwind_table *table)
{
	int seals = fd < 0 ? -1 : fcntl(fd, F_GET_SEALS);
	const int needed = F_SEAL_WRITE | F_SEAL_SHRINK;

	if (seals < 0 || (seals & needed) != needed || lseek(fd, 0, SEEK_SET))
		return -EBADMSG;
	return unwind_table_read(fd, table);
}

/* The answer to the first request. Returns -EAGAIN when there is none yet. */
static int receive_table(struct table_builder *b, struct unwind_table *table)
{
	_cleanup_close_ int fd = -1;
	struct table_reply reply;
	int ret = -ENOTCONN;

	if (b->sock >= 0)
		ret = fd_message_receive(b->sock, &reply, sizeof(reply), &fd);
	if (ret == -EAGAIN && !is_time_up(b))
		return ret;
	if (!ret && b->nr_waiting && reply.tag == b->waiting[0] && reply.status <= 0)
		return reply.status ? reply.status : read_table(fd, table);
	end_worker(b);
	/* What else was in the socket has gone with the worker. */
	b->nr_lost = b->nr_waiting ? b->nr_waiting - 1 : 0;
	return ret == -EAGAIN ? -ETIMEDOUT : -EIO;
}

int table_builder_next(struct table_builder *b, uint32_t *tag, int *status,
		       struct unwind_table *table)
{
	int ret;

	if (b->left.nr)
		lost_children_reap(&b->left);
	if (b->nr_lost) {
		b->nr_lost--;
		ret = -EAGAIN;
	} else {
		ret = receive_table(b, table);
		/* The worker may have died without a request. */
		if (ret == -EAGAIN || !b->nr_waiting)
			return 0;
	}
	*tag = b->waiting[0];
	*status = ret;
	remove_first(b);
	restart_timer(b);
	return 1;
}

void table_builder_destroy(struct table_builder *b)
{
	if (!b)
		return;
	end_worker(b);
	cleanup_close(&b->timer_fd);
	cleanup_close(&b->epoll_fd);
	free(b);
}
