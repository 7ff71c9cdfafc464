/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fetches files by build-id from debuginfod servers, when the user asks for that. A child process
 * runs debuginfod-find of elfutils for each file, with a limit of size and time, so that a server
 * that hangs, or a user who is tired of waiting, can end it at any place.
 */
#ifndef REPORT_FILES_FETCHER_H
#define REPORT_FILES_FETCHER_H

#include <stdbool.h>

#include "common/buildid.h"
#include "common/err.h"

enum fetch_kind {
	FETCH_DEBUGINFO,
	FETCH_EXECUTABLE,
};

/* The reason for which no more files are fetched. */
enum fetch_stop {
	FETCH_GOES_ON = 0,
	FETCH_TIMED_OUT,     /* a server sent nothing for too long */
	FETCH_TOO_SLOW,      /* a server sent less than the least rate */
	FETCH_TOOK_ALL_TIME, /* the time for all files, of whatever servers, was over */
	FETCH_INTERRUPTED,   /* the user pressed Ctrl-C */
	FETCH_BROKEN,        /* a child could not be started, or ended before its work */
};

/* All zero at the start. */
struct fetcher {
	enum fetch_stop stop;
	uint64_t ns;               /* that all fetches took */
	unsigned int nr_too_large; /* files that were not fetched for their size */
	unsigned int nr_given_up;  /* files that were not fetched because of the stop */
	struct build_id given_up;  /* the last of them */
};

/*
 * Looks whether files can be fetched: debuginfod-find is in PATH, and DEBUGINFOD_URLS names
 * servers. Returns 0 or a negative errno with @err set.
 */
int fetcher_check(struct err *err);

/*
 * Fetches the file of @kind with @build_id, or finds it in the cache of debuginfod-find. Returns 0
 * with *@path set to a name that the caller frees, or to NULL if there is no such file or no more
 * files are fetched. Returns -ENOMEM, too. The caller checks the build-id of the file.
 */
int fetcher_find(struct fetcher *fetcher, const struct build_id *build_id, enum fetch_kind kind,
		 char **path);

#endif
