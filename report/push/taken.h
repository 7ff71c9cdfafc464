/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recordings of a directory that were taken, or left for good, and the number of the first
 * request that is not theirs: the state of a watch. It is a small file, written as a whole, so that
 * a recording and all of its requests are in it, or none.
 */
#ifndef REPORT_PUSH_TAKEN_H
#define REPORT_PUSH_TAKEN_H

#include <stdbool.h>
#include <sys/stat.h>

#include "common/err.h"
#include "common/index.h"
#include "common/vec.h"

/* A file of the directory. A file that is written anew has other facts. */
struct taken_file {
	char *name; /* escaped; owned */
	uint64_t inode, size, mtime_ns;
	uint64_t recording_id; /* 0: it was left, and was in no recording before */
	bool is_there;         /* the latest look at the directory found it */
};

/* How many recordings without a file are remembered, so that a renamed one is not pushed twice. */
#define TAKEN_IDS_MAX 4096

/* All zero: nothing was taken. */
struct taken {
	VEC(struct taken_file) files;
	struct index index; /* by name */
	uint64_t next_seq;  /* requests before it are whole */
	/* Recordings of files that are forgotten, the latest TAKEN_IDS_MAX: they may come back. */
	VEC(uint64_t) ids;
	bool was_read; /* there was a file */
};

void taken_deinit(struct taken *taken);

/*
 * Reads the state from the file @name in the directory @dir_fd. No file is no state, and leaves
 * was_read false. Returns 0 or a negative errno with @err set.
 */
int taken_read(struct taken *taken, int dir_fd, const char *name, struct err *err);

/*
 * Writes the state. Returns 0 or a negative errno: then the file has the former state. After 0 it
 * survives a failure of power, unless the file system cannot synchronise the directory.
 */
int taken_write(const struct taken *taken, int dir_fd, const char *name);

/* Sets up @file for a file @name with the facts of @st. Returns 0 or -ENOMEM. */
int taken_file_init(struct taken_file *file, const char *name, const struct stat *st);

/* Returns the file that has the name and the facts of @file, NULL if there is none. */
struct taken_file *taken_find(const struct taken *taken, const struct taken_file *file);

/* Returns true if the recording @id was taken. */
bool taken_has_recording(const struct taken *taken, uint64_t id);

/* Adds @file, whose name it owns from now on. Returns 0 or -ENOMEM: then the caller owns it. */
int taken_add(struct taken *taken, const struct taken_file *file);

/* Forgets the files that are not there, but not their recordings. Returns 0 or -ENOMEM. */
int taken_prune(struct taken *taken);

#endif
