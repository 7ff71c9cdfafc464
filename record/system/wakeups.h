/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the recorder waits for: signals, the watermark of the maps, the side-band's buffers. Signals
 * are blocked from the start to the end of the program and read here, so none is lost and none
 * interrupts anything, whenever it comes.
 */
#ifndef RECORD_SYSTEM_WAKEUPS_H
#define RECORD_SYSTEM_WAKEUPS_H

#include <stdint.h>

#include "common/err.h"

/* What happened, one bit each. */
enum wakeup {
	WAKEUP_STOP = 1,      /* SIGINT, SIGTERM */
	WAKEUP_CHILD = 2,     /* SIGCHLD */
	WAKEUP_WATERMARK = 4, /* a set of maps is half full */
	WAKEUP_FLUSH = 8,     /* SIGUSR1 */
	WAKEUP_ROTATE = 16,   /* SIGHUP */
	WAKEUP_WRITABLE = 32, /* wakeups_wait_writable */
};

struct wakeups {
	int signal_fd, epoll_fd;
	int watermark_fd; /* borrowed */
};

/* Blocks the signals. To be called before anything that a signal should not end half done. */
void wakeups_block_signals(void);

/* In a child: blocks, ignores and handles again what the process inherited before that call. */
void wakeups_restore_signals(void);

/* Nothing is watched yet. Returns 0 or a negative errno with @err set; deinit is due anyway. */
int wakeups_init(struct wakeups *wakeups, struct err *err);

/* Watches @fd; it is read elsewhere. */
int wakeups_watch(struct wakeups *wakeups, int fd, struct err *err);

/* The same, and it is told apart as the watermark. */
int wakeups_watch_watermark(struct wakeups *wakeups, int fd, struct err *err);

/*
 * Waits for at most @timeout_ns, rounded up to a millisecond. Returns bits of enum wakeup, 0 also
 * when only a watched descriptor woke, or a negative errno with @err set.
 */
int wakeups_wait(struct wakeups *wakeups, uint64_t timeout_ns, struct err *err);

/*
 * Waits for at most @timeout_ns for signals, and until @fd can be written to or is broken: then
 * returns WAKEUP_WRITABLE alone, and the signals are for later. Else as wakeups_wait.
 */
int wakeups_wait_writable(struct wakeups *wakeups, int fd, uint64_t timeout_ns, struct err *err);

void wakeups_deinit(struct wakeups *wakeups);

#endif
