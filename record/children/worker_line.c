// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/children/worker_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/readfile.h"
#include "record/children/child.h"
#include "record/children/fd_message.h"

/*
 * Workers that may be started at once. Each comes back after some time. If this many died, somebody
 * makes files that kill them, or they are broken.
 */
#define WORKERS_MAX    32
#define WORKER_BACK_NS (10 * NS_PER_S)

/* How often the line looks whether the worker that has a request is stopped, or waits for long. */
#define LOOK_MS 250

/* A worker may be slow for so many times longer while another one has stepped aside. */
#define SLOW_FACTOR 4

struct worker {
	pid_t pid;
	int sock;                        /* to it; -1: there is none */
	uint64_t begin_ns;               /* CLOCK_MONOTONIC: since then it may be at its request */
	uint64_t ran_ns, not_blocked_ns; /* at that time */
};

struct worker_line {
	struct worker_kind kind;
	struct worker now;
	struct worker aside;     /* waits for the file of a request */
	uint32_t aside_tag;      /* which is this one */
	int timer_fd;            /* readable when it is time to look whether one takes too long */
	int epoll_fd;            /* of all */
	unsigned int nr_workers; /* so far */
	unsigned int nr_stopped; /* of them */
	uint64_t lives_full_ns;  /* CLOCK_MONOTONIC: then all workers will have come back */
	bool is_timed;           /* the timer runs */
	bool wants_room;         /* a request did not fit into the socket */
	bool is_begun;           /* the worker is at the first request, if it tells that */
	uint32_t waiting[WORKER_WAITING_MAX]; /* tags of requests in the worker's socket */
	size_t nr_waiting;
	size_t nr_lost; /* the first requests went away with an earlier worker */
	struct lost_children left;
};

/*
 * Goes off again and again, as long as the line @has_work or a worker has stepped aside. Replies
 * that come all the time do not put it off.
 */
static void set_timer(struct worker_line *l, bool has_work)
{
	bool is_needed = has_work || l->aside.sock >= 0;
	const struct timespec time = {.tv_nsec = is_needed ? LOOK_MS * NS_PER_MS : 0};
	const struct itimerspec spec = {.it_value = time, .it_interval = time};

	if (is_needed == l->is_timed)
		return;
	l->is_timed = is_needed;
	timerfd_settime(l->timer_fd, 0, &spec, NULL);
}

static void end_worker(struct worker_line *l, struct worker *w)
{
	if (w->sock < 0)
		return;
	/* A process that was forked meanwhile may hold the socket open. */
	epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, w->sock, NULL);
	close(w->sock);
	w->sock = -1;
	/* The worker may have closed its end and live on. */
	child_end(w->pid, &l->left);
}

/* The worker has gone, and with it all that there was to look at. */
static void end_now(struct worker_line *l)
{
	end_worker(l, &l->now);
	set_timer(l, false);
}

/*
 * How long the worker has run, and all the time in which it was not blocked, since it also waited
 * for a processor; 0 where the kernel does not count that.
 */
static void read_times(const struct worker *w, uint64_t *ran, uint64_t *not_blocked)
{
	unsigned long long ran_ns = 0, queued_ns = 0;
	char_vec text = {0};
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/schedstat", w->pid);
	if (read_file(path, 4096, &text) ||
	    sscanf(text.data, "%llu %llu", &ran_ns, &queued_ns) != 2)
		ran_ns = queued_ns = 0;
	vec_free(&text);
	*ran = ran_ns;
	*not_blocked = ran_ns + queued_ns;
}

uint64_t worker_line_ran_ns(const struct worker_line *l)
{
	uint64_t ran_ns, ns;

	read_times(&l->now, &ran_ns, &ns);
	return ran_ns;
}

/* How long it has run since the line has heard that it began with the request. */
static uint64_t request_ran_ns(const struct worker_line *l)
{
	uint64_t ran_ns = worker_line_ran_ns(l);

	return ran_ns > l->now.ran_ns ? ran_ns - l->now.ran_ns : 0;
}

bool worker_line_wants_processor(const struct worker_line *l)
{
	return l->now.sock >= 0 && child_state(l->now.pid) == 'R';
}

/* Has the worker waited for a file for @ms? On a busy host its request may need much more time. */
static bool has_waited(const struct worker *w, unsigned int ms)
{
	uint64_t ran_ns, not_blocked_ns, passed_ns, other_ns;

	read_times(w, &ran_ns, &not_blocked_ns);
	passed_ns = clock_monotonic_ns() - w->begin_ns;
	other_ns = not_blocked_ns - w->not_blocked_ns;
	/* The kernel adds the time for which it waited for a processor when it gets one. */
	return passed_ns > other_ns && passed_ns - other_ns >= ms * NS_PER_MS &&
	       child_state(w->pid) != 'R';
}

/* Somebody may stop a worker, which would then be as good as dead, and nobody would notice. */
static bool is_stopped(struct worker_line *l, const struct worker *w)
{
	siginfo_t info = {0};

	if (w->sock < 0 || waitid(P_PID, w->pid, &info, WSTOPPED | WNOHANG) || !info.si_pid)
		return false;
	l->nr_stopped++;
	return true;
}

static int watch_fd(const struct worker_line *l, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

/* Is the line told when there is room in the worker's socket? */
static void watch_room(struct worker_line *l, bool wants_room)
{
	struct epoll_event event = {.events = wants_room ? EPOLLIN | EPOLLOUT : EPOLLIN};

	if (wants_room != l->wants_room && l->now.sock >= 0)
		epoll_ctl(l->epoll_fd, EPOLL_CTL_MOD, l->now.sock, &event);
	l->wants_room = wants_room;
}

/* Takes a life, unless none is left for now. */
static bool take_life(struct worker_line *l)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (l->lives_full_ns < now_ns)
		l->lives_full_ns = now_ns;
	if (l->lives_full_ns - now_ns > (WORKERS_MAX - 1) * WORKER_BACK_NS)
		return false;
	l->lives_full_ns += WORKER_BACK_NS;
	return true;
}

static int start_worker(struct worker_line *l)
{
	int socks[2], ret;
	pid_t pid;

	if (!take_life(l))
		return -EIO;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks))
		return -errno;
	l->nr_workers++;
	l->wants_room = false;
	pid = fork();
	if (!pid)
		l->kind.run(socks[1]);
	ret = -errno;
	close(socks[1]);
	if (pid < 0) {
		close(socks[0]);
		return ret;
	}
	l->now = (struct worker){.pid = pid, .sock = socks[0]};
	ret = fcntl(l->now.sock, F_SETFL, O_NONBLOCK) ? -errno : watch_fd(l, l->now.sock);
	if (ret)
		end_now(l);
	return ret;
}

/* The worker gets a time for each request. */
static void restart_timer(struct worker_line *l)
{
	bool has_work = l->nr_waiting > l->nr_lost;

	set_timer(l, has_work);
	l->now.begin_ns = clock_monotonic_ns();
	l->now.ran_ns = l->now.not_blocked_ns = 0;
	if (has_work && l->now.sock >= 0)
		read_times(&l->now, &l->now.ran_ns, &l->now.not_blocked_ns);
}

/* All requests that wait have gone with the worker, and none of them is to blame. */
static void lose_requests(struct worker_line *l)
{
	end_now(l);
	l->nr_lost = l->nr_waiting;
	l->is_begun = false;
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
	l->now.sock = l->aside.sock = -1;
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

	if (l->nr_waiting == WORKER_WAITING_MAX)
		return -EAGAIN;
	if (is_stopped(l, &l->now)) {
		lose_requests(l);
		set_timer(l, l->nr_lost);
	}
	if (l->now.sock < 0)
		ret = start_worker(l);
	if (!ret)
		*sock = l->now.sock;
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
		end_now(l);
		ret = worker_line_sock(l, &sock);
		if (!ret)
			ret = fd_message_send(sock, request->bytes, request->nr, request->fd);
	}
	if (ret == -EAGAIN)
		watch_room(l, true);
	if (!ret)
		worker_line_expect(l, request->tag);
	return ret;
}

unsigned int worker_line_nr_workers(const struct worker_line *l)
{
	return l->nr_workers;
}

unsigned int worker_line_nr_stopped(const struct worker_line *l)
{
	return l->nr_stopped;
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

/* The place of the request @tag among those that wait for the worker; or nr_waiting. */
static size_t find_request(const struct worker_line *l, uint32_t tag)
{
	size_t at = 0;

	while (at < l->nr_waiting && l->waiting[at] != tag)
		at++;
	return at;
}

/* The worker has begun with the request @tag, which is the first from now on. */
static int begin_request(struct worker_line *l, uint32_t tag)
{
	size_t at = find_request(l, tag);

	if (at == l->nr_waiting || !l->kind.tells_begin || l->is_begun)
		return -EBADMSG;
	memmove(&l->waiting[1], &l->waiting[0], at * sizeof(l->waiting[0]));
	l->waiting[0] = tag;
	l->is_begun = true;
	restart_timer(l);
	return -EAGAIN;
}

/* Takes a message of the worker, if there is one. Returns 0 for a reply to the first request. */
static int receive_message(struct worker_line *l, struct worker_reply *reply, int *memory)
{
	_cleanup_close_ int fd = -1;
	struct worker_reply got;
	int ret = fd_message_receive(l->now.sock, &got, sizeof(got), &fd);

	/* A worker that died with requests in its socket. What it had sent before comes next. */
	if (ret == -ECONNRESET)
		ret = fd_message_receive(l->now.sock, &got, sizeof(got), &fd);
	if (ret)
		return ret;
	if (got.status == WORKER_BEGINS) {
		ret = begin_request(l, got.tag);
		return ret == -EAGAIN ? receive_message(l, reply, memory) : ret;
	}
	if (!l->nr_waiting || got.tag != l->waiting[0] || got.status > 0)
		return -EBADMSG;
	*reply = got;
	reply->is_aside = false;
	*memory = TAKE_FD(fd);
	return 0;
}

/*
 * Does the worker have to step aside? If another one has, its requests are lost with it, so it gets
 * more time.
 */
static bool is_slow(const struct worker_line *l)
{
	unsigned int factor = l->aside.sock < 0 ? 1 : SLOW_FACTOR;

	return l->kind.slow_ms && has_waited(&l->now, factor * l->kind.slow_ms);
}

/*
 * The worker has waited for the file of the first request for long. It steps aside, if no other one
 * has. What else was in its socket has gone.
 */
static int step_aside(struct worker_line *l)
{
	int ret = l->aside.sock >= 0 ? -EBUSY : WORKER_STEPS_ASIDE;

	if (ret == -EBUSY) {
		end_now(l);
	} else {
		l->aside = l->now;
		l->aside_tag = l->waiting[0];
		l->now.sock = -1;
	}
	l->nr_lost = l->nr_waiting - 1;
	return ret;
}

/* The end of the request of the worker that has stepped aside. Returns 0, or -EAGAIN: not yet. */
static int receive_aside(struct worker_line *l, bool is_look, struct worker_reply *reply,
			 int *memory)
{
	_cleanup_close_ int fd = -1;
	int ret = fd_message_receive(l->aside.sock, reply, sizeof(*reply), &fd);
	uint64_t ignored;

	if (ret == -ECONNRESET)
		ret = fd_message_receive(l->aside.sock, reply, sizeof(*reply), &fd);
	if (ret == -EAGAIN && !(is_look && is_stopped(l, &l->aside))) {
		if (!is_look || !has_waited(&l->aside, l->kind.ms_max))
			return ret;
		ret = -ETIMEDOUT;
	}
	if (!ret && (reply->tag != l->aside_tag || reply->status > 0))
		ret = -EBADMSG;
	if (!ret)
		*memory = TAKE_FD(fd);
	else
		*reply = (struct worker_reply){
			.status = ret == -EAGAIN || ret == -ETIMEDOUT ? ret : -EIO};
	if (ret == -ETIMEDOUT)
		read_times(&l->aside, &reply->cpu_ns, &ignored);
	reply->tag = l->aside_tag;
	reply->is_aside = true;
	end_worker(l, &l->aside);
	set_timer(l, l->nr_waiting);
	return 0;
}

/*
 * The answer to the first request. Returns 0, -EAGAIN when there is none yet, WORKER_STEPS_ASIDE,
 * or an error. If it @is_look, the worker is looked at.
 */
static int receive_reply(struct worker_line *l, bool is_look, struct worker_reply *reply,
			 int *memory)
{
	int ret = l->now.sock < 0 ? -ENOTCONN : receive_message(l, reply, memory);
	bool is_late;

	if (!ret || (ret == -EAGAIN && !(is_look && l->nr_waiting)))
		return ret;
	if (ret == -EAGAIN && is_stopped(l, &l->now)) {
		lose_requests(l);
		return -ECANCELED;
	}
	if (ret == -EAGAIN && is_slow(l))
		return step_aside(l);
	is_late = ret == -EAGAIN && has_waited(&l->now, l->kind.ms_max);
	if (ret == -EAGAIN && !is_late)
		return ret;
	if (l->kind.tells_begin && !l->is_begun) {
		lose_requests(l);
		return -ECANCELED;
	}
	if (is_late && l->kind.tells_begin)
		reply->cpu_ns = request_ran_ns(l);
	end_now(l);
	/* What else was in the socket has gone with the worker. */
	l->nr_lost = l->nr_waiting ? l->nr_waiting - 1 : 0;
	return is_late ? -ETIMEDOUT : -EIO;
}

/*
 * Has anything happened to the worker: a message, its end, room in its socket, or the timer? The
 * recorder asks at each wake-up, and there hardly ever has.
 */
static bool has_news(const struct worker_line *l)
{
	struct epoll_event event;

	return (l->now.sock < 0 && l->aside.sock < 0) || epoll_wait(l->epoll_fd, &event, 1, 0);
}

/* Is it time to look at the workers? */
static bool take_timer(struct worker_line *l)
{
	uint64_t expirations;

	return read(l->timer_fd, &expirations, sizeof(expirations)) == sizeof(expirations);
}

bool worker_line_next(struct worker_line *l, struct worker_reply *reply, int *memory)
{
	int ret = -ECANCELED;
	bool is_look;

	*memory = -1;
	*reply = (struct worker_reply){0};
	if (l->left.nr)
		lost_children_reap(&l->left);
	if (!l->nr_lost && !has_news(l))
		return false;
	watch_room(l, false);
	is_look = take_timer(l);
	if (l->aside.sock >= 0 && !receive_aside(l, is_look, reply, memory))
		return true;
	if (!l->nr_lost)
		ret = receive_reply(l, is_look, reply, memory);
	/* The worker may have died without a request. */
	if (ret == -EAGAIN || !l->nr_waiting)
		return false;
	if (ret == -ECANCELED) {
		l->nr_lost--;
		ret = -EAGAIN;
	}
	if (ret)
		reply->status = ret;
	reply->tag = l->waiting[0];
	remove_first(l);
	l->is_begun = false;
	restart_timer(l);
	return true;
}

void worker_line_destroy(struct worker_line *l)
{
	if (!l)
		return;
	end_worker(l, &l->now);
	end_worker(l, &l->aside);
	cleanup_close(&l->timer_fd);
	cleanup_close(&l->epoll_fd);
	free(l);
}
