// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/host/wakeups.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/minmax.h"

void wakeups_fill_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGCHLD);
	sigaddset(signals, SIGUSR1);
	sigaddset(signals, SIGHUP);
}

/* The recorder changes the dispositions of these signals. */
static const int changed[] = {SIGINT, SIGTERM, SIGCHLD, SIGPIPE, SIGXFSZ};

/* The mask and the dispositions that the recorder inherited, for its children. */
static struct {
	bool is_known;
	sigset_t blocked;
	struct sigaction actions[ARRAY_SIZE(changed)];
} inherited;

void wakeups_block_signals(void)
{
	sigset_t signals;

	for (size_t i = 0; i < ARRAY_SIZE(changed); i++)
		sigaction(changed[i], NULL, &inherited.actions[i]);
	wakeups_fill_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, &inherited.blocked);
	inherited.is_known = true;
	/* Shells start background jobs with SIGINT ignored, but scripts end recordings by it. */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	/* Some wrappers ignore SIGCHLD. Then no signal would tell that the command has ended. */
	signal(SIGCHLD, SIG_DFL);
	/* The write that raises one of these also fails, with EPIPE or EFBIG. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

void wakeups_restore_signals(void)
{
	if (!inherited.is_known)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(changed); i++)
		sigaction(changed[i], &inherited.actions[i], NULL);
	/* Unblock last, so that a signal that came meanwhile meets its inherited disposition. */
	sigprocmask(SIG_SETMASK, &inherited.blocked, NULL);
}

int wakeups_init(struct wakeups *w, struct err *err)
{
	sigset_t signals;

	wakeups_fill_signals(&signals);
	*w = (struct wakeups){
		.signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK),
		.epoll_fd = epoll_create1(EPOLL_CLOEXEC),
		.watermark_fd = -1,
	};
	if (w->signal_fd < 0 || w->epoll_fd < 0)
		return err_set(err, -errno, "failed to watch for events: %m");
	return wakeups_watch(w, w->signal_fd, err);
}

static int watch(struct wakeups *w, int fd, uint32_t events, struct err *err)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	if (epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, fd, &event))
		return err_set(err, -errno, "failed to watch for events: %m");
	return 0;
}

int wakeups_watch(struct wakeups *w, int fd, struct err *err)
{
	return watch(w, fd, EPOLLIN, err);
}

int wakeups_watch_edges(struct wakeups *w, int fd, struct err *err)
{
	return watch(w, fd, EPOLLIN | EPOLLET, err);
}

int wakeups_watch_watermark(struct wakeups *w, int fd, struct err *err)
{
	w->watermark_fd = fd;
	return wakeups_watch(w, fd, err);
}

static enum wakeup wakeup_of(uint32_t signo)
{
	switch (signo) {
	case SIGCHLD:
		return WAKEUP_CHILD;
	case SIGUSR1:
		return WAKEUP_FLUSH;
	case SIGHUP:
		return WAKEUP_ROTATE;
	default:
		return WAKEUP_STOP;
	}
}

static int read_signals(struct wakeups *w)
{
	struct signalfd_siginfo info;
	int what = 0;

	while (read(w->signal_fd, &info, sizeof(info)) == sizeof(info))
		what |= wakeup_of(info.ssi_signo);
	return what;
}

static int ms_of(uint64_t timeout_ns)
{
	uint64_t ms = timeout_ns / NS_PER_MS + (timeout_ns % NS_PER_MS != 0);

	return ms > INT32_MAX ? INT32_MAX : (int)ms;
}

/* Returns the rest of @timeout_ns. */
static uint64_t keep_pause(const struct wakeups *w, uint64_t timeout_ns)
{
	uint64_t passed_ns = clock_monotonic_ns() - w->woken_ns, rest_ns;

	if (!w->is_often || passed_ns >= w->pause_ns)
		return timeout_ns;
	rest_ns = min_u64(w->pause_ns - passed_ns, timeout_ns);
	nanosleep(&(struct timespec){.tv_nsec = rest_ns}, NULL);
	return timeout_ns - rest_ns;
}

static void note_wakeup(struct wakeups *w)
{
	uint64_t now_ns = clock_monotonic_ns();

	w->is_often = now_ns - w->woken_ns < 2 * w->pause_ns;
	w->woken_ns = now_ns;
}

int wakeups_wait(struct wakeups *w, uint64_t timeout_ns, struct err *err)
{
	struct epoll_event events[16];
	int n, what = 0;

	timeout_ns = keep_pause(w, timeout_ns);
	n = epoll_wait(w->epoll_fd, events, ARRAY_SIZE(events), ms_of(timeout_ns));
	note_wakeup(w);
	if (n < 0 && errno != EINTR)
		return err_set(err, -errno, "failed to wait for events: %m");
	for (int i = 0; i < n; i++) {
		if (events[i].data.fd == w->signal_fd)
			what |= read_signals(w);
		else if (events[i].data.fd == w->watermark_fd)
			what |= WAKEUP_WATERMARK;
	}
	return what;
}

int wakeups_wait_for(struct wakeups *w, struct pollfd fd, uint64_t timeout_ns, struct err *err)
{
	struct pollfd fds[] = {fd, {.fd = w->signal_fd, .events = POLLIN}};
	int n = poll(fds, ARRAY_SIZE(fds), ms_of(timeout_ns));

	if (n < 0)
		return errno == EINTR ? 0 : err_set(err, -errno, "failed to wait for events: %m");
	if (fds[0].revents)
		return WAKEUP_READY;
	return fds[1].revents ? read_signals(w) : 0;
}

void wakeups_deinit(struct wakeups *w)
{
	cleanup_close(&w->signal_fd);
	cleanup_close(&w->epoll_fd);
}
