/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files that somebody else put there or named: the paths of a recording, of an ELF file, of a
 * profiled process. Opening alone can have effects (a watchdog's device starts it, a tape rewinds)
 * or take for ever (a FIFO). So safe_open finds a file with O_PATH, which opens nothing, and looks
 * at it. Then it opens only a regular file that keeps the caller's rules.
 */
#ifndef COMMON_SAFE_OPEN_H
#define COMMON_SAFE_OPEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

static inline bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The way in which the directory and the path name a file. */
enum safe_open_lookup {
	SAFE_OPEN_FOLLOW,  /* like openat */
	SAFE_OPEN_NO_LINK, /* like openat, but the file is no symbolic link */
	SAFE_OPEN_IN_ROOT, /* the directory stands for "/", and nothing leads out of it */
};

/* Rules for the file beyond being a regular one. All-zero rules allow any regular file. */
struct safe_open_rules {
	enum safe_open_lookup lookup;
	uint64_t inode;     /* the file has this inode; 0: any */
	uint64_t max_bytes; /* 0: any size */
	bool not_empty;
	const uid_t *owner; /* the file is this user's or root's; NULL: anybody's */
};

/*
 * Opens @path for reading, from the directory open at @dir_fd (AT_FDCWD is one). Returns a file
 * descriptor, whose reads do not block, or a failing open's errno. Refusals are -EINVAL (no regular
 * file, or it breaks not_empty), -ESTALE (a different inode), -EPERM (a different owner) and -EFBIG
 * (a size above max_bytes).
 */
int safe_open(int dir_fd, const char *path, const struct safe_open_rules *rules);

/*
 * Opens @path with @flags and O_CLOEXEC. The directory open at @root_fd stands for "/": ".." and
 * symbolic links do not lead out of it. Does not look at the file, so the caller gives O_PATH.
 * Returns a file descriptor or a negative errno.
 */
int safe_open_in_root(int root_fd, const char *path, int flags);

/*
 * Does the work of safe_open_in_root on systems that refuse openat2. Follows no symbolic link, and
 * returns -ENOENT for "..". Not static for tests.
 */
int safe_open_walk(int root_fd, const char *path, int flags);

#endif
