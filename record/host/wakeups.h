/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorder waits here for signals, for the watermark of the maps and for the side-band's
 * buffers. The recorder blocks the signals from its first to its last moment, and reads them from a
 * descriptor. So no signal gets lost, and none interrupts a system call.
 */
#ifndef RECORD_HOST_WAKEUPS_H
#define RECORD_HOST_WAKEUPS_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

/* Events, one bit each. */
enum wakeup {
	WAKEUP_STOP = 1,      /* SIGINT, SIGTERM */
	WAKEUP_CHILD = 2,     /* SIGCHLD */
	WAKEUP_WATERMARK = 4, /* a set of maps is half full */
	WAKEUP_FLUSH = 8,     /* SIGUSR1 */
	WAKEUP_ROTATE = 16,   /* SIGHUP */
	WAKEUP_READY = 32,    /* from wakeups_wait_for only */
};

struct wakeups {
	int signal_fd, epoll_fd;
	int watermark_fd; /* borrowed */
	/*
	 * The least time between wake-ups, once two of them were closer than twice as long; 0
	 * unless the caller sets it.
	 */
	uint64_t pause_ns;
	uint64_t woken_ns; /* CLOCK_MONOTONIC: the latest one */
	bool is_often;     /* it was so close to the one before */
};

/* Fills in the signals that the recorder waits for. */
void wakeups_fill_signals(sigset_t *signals);

/*
 * Blocks the signals and sets their dispositions. Call it before any work that a signal must not
 * end half done.
 */
void wakeups_block_signals(void);

/*
 * Call it in a child. Restores the signal mask and the dispositions that the recorder itself had
 * inherited.
 */
void wakeups_restore_signals(void);

/*
 * Watches the signals, and nothing else yet. Returns 0 or a negative errno with @err set. The
 * caller calls wakeups_deinit in either case.
 */
int wakeups_init(struct wakeups *wakeups, struct err *err);

/* Watches @fd, which others read. Returns 0 or a negative errno with @err set. */
int wakeups_watch(struct wakeups *wakeups, int fd, struct err *err);

/* As wakeups_watch, for a descriptor that may stay readable for ever: each change wakes once. */
int wakeups_watch_edges(struct wakeups *wakeups, int fd, struct err *err);

/* As wakeups_watch. wakeups_wait then reports WAKEUP_WATERMARK for this descriptor. */
int wakeups_watch_watermark(struct wakeups *wakeups, int fd, struct err *err);

/*
 * Waits for at most @timeout_ns, rounded up to a millisecond, and for the pause. Returns bits of
 * enum wakeup, or a negative errno with @err set. Returns 0 after the timeout, and when only
 * descriptors without a bit of their own became readable.
 */
int wakeups_wait(struct wakeups *wakeups, uint64_t timeout_ns, struct err *err);

/*
 * Waits for at most @timeout_ns until @fd is ready for @events of poll(2), until its other end is
 * closed, or until a signal comes. Returns WAKEUP_READY alone in the first two cases, and leaves
 * signals for later. Otherwise returns the bits of the signals, 0 after the timeout, or a negative
 * errno with @err set.
 */
int wakeups_wait_for(struct wakeups *wakeups, struct pollfd fd, uint64_t timeout_ns,
		     struct err *err);

void wakeups_deinit(struct wakeups *wakeups);

#endif
