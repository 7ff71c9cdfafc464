/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes the recordings of a directory as they are finished there, and sends their requests from a
 * spool. A recording is finished when it gets its name: profrec writes to another one, which ends
 * in ".part".
 */
#ifndef REPORT_PUSH_WATCHER_H
#define REPORT_PUSH_WATCHER_H

#include <signal.h>

#include "report/push/spool_sender.h"

/* Start with the members that are borrowed. */
struct watcher {
	const char *dir;
	struct spool *spool;
	struct sender *sender;
	const volatile sig_atomic_t *is_ended;
	int wake_fd; /* readable when is_ended is true */
	/*
	 * Adds the requests of the recording @path to the spool. Returns 0 with *@id set, -EEXIST
	 * with *@id set if the recording was taken before, or another negative errno with @err set:
	 * -ENOMEM, -ENOSPC, -EIO, -EDQUOT, -EMFILE, -ENFILE,
	 * -EACCES, -EROFS, -EPERM and -ENOENT may pass, and other errors are those of the
	 * recording.
	 */
	int (*take)(void *ctx, const char *path, uint64_t *id, struct err *err);
	uint64_t report_ns; /* how often the account is printed, if it changed */
	/* Says the error of a recording. One that may pass is said once for a file. */
	void (*left)(void *ctx, const char *path, const struct err *err);
	void *ctx;
};

/* Runs until is_ended. Returns 0, or a negative errno with @err set if the directory is no more. */
int watcher_run(struct watcher *watcher, struct err *err);

/* Returns true if a file @name may be a recording that is finished. */
bool is_recording_name(const char *name);

#endif
