// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_builder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/unwind/fd_message.h"
#include "record/unwind/table_worker.h"

/* Requests that wait. Each holds a descriptor. */
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

struct waiting {
	int fd;
	uint32_t tag;
};

struct table_builder {
	pid_t pid;               /* of the worker */
	int sock;                /* to it; -1: there is none */
	int timer_fd;            /* readable when it takes too long */
	int epoll_fd;            /* of both */
	unsigned int nr_workers; /* so far */
	bool is_busy;            /* with the first that waits */
	struct waiting waiting[WAITING_MAX];
	size_t nr_waiting;
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
	b->is_busy = false;
	set_timer(b, 0);
	/* The worker may have closed its end and live on. */
	kill(b->pid, SIGKILL);
	while (waitpid(b->pid, NULL, 0) < 0 && errno == EINTR)
		;
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

/* Hands the first request that waits to the worker. Starts a new worker if the last one is dead. */
static int keep_busy(struct table_builder *b)
{
	if (b->is_busy)
		return 0;
	while (!b->is_busy && b->nr_waiting) {
		const struct table_request request = {b->waiting[0].tag};
		int ret = b->sock < 0 ? start_worker(b) : 0;

		if (ret)
			return ret;
		if (fd_message_send(b->sock, &request, sizeof(request), b->waiting[0].fd))
			end_worker(b);
		else
			b->is_busy = true;
	}
	set_timer(b, b->is_busy ? TABLE_SECONDS_MAX : 0);
	return 0;
}

static void remove_waiting(struct table_builder *b, size_t i)
{
	close(b->waiting[i].fd);
	b->nr_waiting--;
	memmove(&b->waiting[i], &b->waiting[i + 1], (b->nr_waiting - i) * sizeof(b->waiting[0]));
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

int table_builder_request(struct table_builder *b, int fd, uint32_t tag)
{
	struct waiting waiting = {.tag = tag};
	int ret;

	if (b->nr_waiting == WAITING_MAX)
		return -EAGAIN;
	waiting.fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (waiting.fd < 0)
		return -errno;
	b->waiting[b->nr_waiting++] = waiting;
	ret = keep_busy(b);
	if (ret)
		remove_waiting(b, b->nr_waiting - 1);
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

int table_builder_next(struct table_builder *b, uint32_t *tag, int *status,
		       struct unwind_table *table)
{
	_cleanup_close_ int fd = -1;
	struct table_reply reply;
	bool was_busy = b->is_busy;
	int ret = -ENOTCONN;

	if (b->sock >= 0)
		ret = fd_message_receive(b->sock, &reply, sizeof(reply), &fd);
	if (ret == -EAGAIN && !is_time_up(b))
		return 0;
	if (!ret && was_busy && reply.tag == b->waiting[0].tag && reply.status <= 0) {
		ret = reply.status ? reply.status : read_table(fd, table);
		b->is_busy = false;
	} else {
		ret = ret == -EAGAIN ? -ETIMEDOUT : -EIO;
		end_worker(b);
	}
	/* The worker may have died without a request. */
	if (!was_busy && !b->nr_waiting)
		return 0;
	*tag = b->waiting[0].tag;
	*status = ret;
	remove_waiting(b, 0);
	/* If that fails, the next calls report it for the requests that wait. */
	keep_busy(b);
	return 1;
}

void table_builder_destroy(struct table_builder *b)
{
	if (!b)
		return;
	end_worker(b);
	while (b->nr_waiting)
		remove_waiting(b, b->nr_waiting - 1);
	cleanup_close(&b->timer_fd);
	cleanup_close(&b->epoll_fd);
	free(b);
}
