/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files whose names were not chosen by the user: paths out of a recording, out of an ELF
 * file. Regular files only, never blocking on a FIFO or a device, and under a root directory never
 * outside of it, whatever ".." and symbolic links say.
 */
#ifndef REPORT_SYMBOLS_SAFEOPEN_H
#define REPORT_SYMBOLS_SAFEOPEN_H

/*
 * Opens @path for reading. @root_fd is a directory that stands for "/", or -1 for this machine's
 * own root; @path is taken from it, with or without a leading slash. Returns a file descriptor, or
 * -ENOENT when there is no such file, or another negative errno when there is something that
 * cannot be read: -EINVAL when it is not a regular file or empty.
 */
int safe_open(int root_fd, const char *path);

/* What safe_open does under a root where the kernel has no openat2 (before 5.6); for tests. */
int safe_open_walk(int root_fd, const char *path);

#endif
