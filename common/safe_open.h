/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files that somebody else put there or named: the paths of a recording, of an ELF file, of a
 * profiled process. Opening alone can have effects (a watchdog's device starts it, a tape rewinds)
 * or take for ever (a FIFO). So a file is found with O_PATH, which opens nothing, and looked at;
 * only a regular file that keeps the caller's rules is opened.
 */
#ifndef COMMON_SAFE_OPEN_H
#define COMMON_SAFE_OPEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How the directory and the path name a file. */
enum safe_open_lookup {
	SAFE_OPEN_FOLLOW,  /* as openat does */
	SAFE_OPEN_NO_LINK, /* as openat does, but the file is no symbolic link */
	SAFE_OPEN_IN_ROOT, /* the directory stands for "/", and nothing leads out of it */
};

/* What is refused beside what is no regular file. All zero: nothing. */
struct safe_open_rules {
	enum safe_open_lookup lookup;
	uint64_t inode;     /* of the file that is meant; 0: any */
	uint64_t max_bytes; /* 0: any size */
	bool not_empty;
	const uid_t *owner; /* the file is this user's or root's; NULL: anybody's */
};

/*
 * Opens @path, taken from the directory open at @dir_fd (AT_FDCWD is one), for reading. Returns a
 * file descriptor, or -EINVAL for what is no regular file or breaks not_empty, -ESTALE for another
 * inode, -EPERM for another owner, -EFBIG for a size above max_bytes, or the errno of a failing
 * open. Reads of the descriptor do not block.
 */
int safe_open(int dir_fd, const char *path, const struct safe_open_rules *rules);

/*
 * Opens @path with @flags (O_CLOEXEC is added), taken from the directory open at @root_fd as from
 * "/": ".." and symbolic links do not lead out of it. Looks at nothing; the caller gives O_PATH.
 * Returns a file descriptor or a negative errno.
 */
int safe_open_in_root(int root_fd, const char *path, int flags);

/*
 * The part of safe_open_in_root for systems that refuse openat2: it follows no symbolic link and
 * takes no ".." (-ENOENT). For tests.
 */
int safe_open_walk(int root_fd, const char *path, int flags);

#endif
