// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/system/worker_line.h"

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

/* Requests that wait. Each is a descriptor on its way to the worker. */
#define WAITING_MAX 64

/*
 * Workers in one recording. If so many died, somebody makes files that kill them, or they are
 * broken.
 */
#define WORKERS_MAX 32

struct worker_line {
	struct worker_kind kind;
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
static void set_timer(struct worker_line *l, time_t seconds)
{
	const struct itimerspec spec = {.it_value.tv_sec = seconds};

	timerfd_settime(l->timer_fd, 0, &spec, NULL);
}

static void end_worker(struct worker_line *l)
{
	if (l->sock < 0)
		return;
	/* A process that was forked meanwhile may hold the socket open. */
	epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, l->sock, NULL);
	close(l->sock);
	l->sock = -1;
	set_timer(l, 0);
	/* The worker may have closed its end and live on. */
	child_end(l->pid, &l->left);
}

static bool is_time_up(const struct worker_line *l)
{
	uint64_t expirations;

	return read(l->timer_fd, &expirations, sizeof(expirations)) == sizeof(expirations);
}

static int watch_fd(const struct worker_line *l, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int start_worker(struct worker_line *l)
{
	int socks[2], ret;
	pid_t pid;

	if (l->nr_workers == WORKERS_MAX)
		return -EIO;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks))
		return -errno;
	l->nr_workers++;
	pid = fork();
	if (!pid)
		l->kind.run(socks[1]);
	ret = -errno;
	close(socks[1]);
	if (pid < 0) {
		close(socks[0]);
		return ret;
	}
	l->pid = pid;
	l->sock = socks[0];
	ret = fcntl(l->sock, F_SETFL, O_NONBLOCK) ? -errno : watch_fd(l, l->sock);
	if (ret)
		end_worker(l);
	return ret;
}

/* The worker gets a time for each request. */
static void restart_timer(struct worker_line *l)
{
	set_timer(l, l->nr_waiting > l->nr_lost ? l->kind.seconds_max : 0);
}

static void remove_first(struct worker_line *l)
{
	l->nr_waiting--;
	memmove(&l->waiting[0], &l->waiting[1], l->nr_waiting * sizeof(l->waiting[0]));
}

int worker_line_start(struct worker_line **line, const struct worker_kind *kind, struct err *err)
{
	struct worker_line *l = calloc(1, sizeof(*l));
	int ret;

	if (!l)
		return err_set(err, -ENOMEM, "failed to start the %s: %s", kind->name,
			       strerror(ENOMEM));
	l->kind = *kind;
	l->sock = -1;
	l->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	ret = l->timer_fd < 0 || l->epoll_fd < 0 ? -errno : watch_fd(l, l->timer_fd);
	if (!ret)
		ret = start_worker(l);
	if (ret) {
		worker_line_destroy(l);
		return err_set(err, ret, "failed to start the %s: %s", kind->name, strerror(-ret));
	}
	*line = l;
	return 0;
}

int worker_line_sock(struct worker_line *l, int *sock)
{
	int ret = 0;

	if (l->nr_waiting == WAITING_MAX)
		return -EAGAIN;
	if (l->sock < 0)
		ret = start_worker(l);
	if (!ret)
		*sock = l->sock;
	return ret;
}

void worker_line_expect(struct worker_line *l, uint32_t tag)
{
	l->waiting[l->nr_waiting++] = tag;
	if (l->nr_waiting == l->nr_lost + 1)
		restart_timer(l);
}

int worker_line_request(struct worker_line *l, const struct worker_request *request)
{
	int sock, ret = worker_line_sock(l, &sock);

	if (!ret)
		ret = fd_message_send(sock, request->bytes, request->nr, request->fd);
	/* The worker has died without a request. */
	if ((ret == -EPIPE || ret == -ECONNRESET) && l->nr_waiting == l->nr_lost) {
		end_worker(l);
		ret = worker_line_sock(l, &sock);
		if (!ret)
			ret = fd_message_send(sock, request->bytes, request->nr, request->fd);
	}
	if (!ret)
		worker_line_expect(l, request->tag);
	return ret;
}

unsigned int worker_line_nr_workers(const struct worker_line *l)
{
	return l->nr_workers;
}

int worker_line_fd(const struct worker_line *l)
{
	return l->epoll_fd;
}

bool worker_memory_is_sealed(int fd)
{
	int seals = fd < 0 ? -1 : fcntl(fd, F_GET_SEALS);
	const int needed = F_SEAL_WRITE | F_SEAL_SHRINK;

	return seals >= 0 && (seals & needed) == needed && !lseek(fd, 0, SEEK_SET);
}

/* The answer to the first request. Returns 0, -EAGAIN when there is none yet, or an error. */
static int receive_reply(struct worker_line *l, struct worker_reply *reply, int *memory)
{
	_cleanup_close_ int fd = -1;
	struct worker_reply got;
	int ret = -ENOTCONN;

	if (l->sock >= 0)
		ret = fd_message_receive(l->sock, &got, sizeof(got), &fd);
	if (ret == -EAGAIN && !is_time_up(l))
		return ret;
	if (!ret && l->nr_waiting && got.tag == l->waiting[0] && got.status <= 0) {
		*reply = got;
		*memory = TAKE_FD(fd);
		return 0;
	}
	end_worker(l);
	/* What else was in the socket has gone with the worker. */
	l->nr_lost = l->nr_waiting ? l->nr_waiting - 1 : 0;
	return ret == -EAGAIN ? -ETIMEDOUT : -EIO;
}

bool worker_line_next(struct worker_line *l, struct worker_reply *reply, int *memory)
{
	int ret = -EAGAIN;

	*memory = -1;
	*reply = (struct worker_reply){0};
	if (l->left.nr)
		lost_children_reap(&l->left);
	if (l->nr_lost) {
		l->nr_lost--;
	} else {
		ret = receive_reply(l, reply, memory);
		/* The worker may have died without a request. */
		if (ret == -EAGAIN || !l->nr_waiting)
			return false;
	}
	if (ret)
		reply->status = ret;
	reply->tag = l->waiting[0];
	remove_first(l);
	restart_timer(l);
	return true;
}

void worker_line_destroy(struct worker_line *l)
{
	if (!l)
		return;
	end_worker(l);
	cleanup_close(&l->timer_fd);
	cleanup_close(&l->epoll_fd);
	free(l);
}
