/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes that a signal or a short transfer does not cut. Errors are negative errnos of
 * the system calls.
 */
#ifndef COMMON_IO_H
#define COMMON_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Reads up to @len bytes, as read does. Returns their number, 0 at the end, or an error. */
ssize_t io_read(int fd, void *buf, size_t len);

/* Reads @len bytes. Returns 0, -ENODATA if the file ends before, or an error. */
int io_read_all(int fd, void *buf, size_t len);

/*
 * Reads the @len bytes at @off, or those up to the end of the file. Returns their number, or an
 * error.
 */
ssize_t io_pread(int fd, void *buf, size_t len, uint64_t off);

/* Writes @len bytes. Returns 0 or an error. */
int io_write_all(int fd, const void *buf, size_t len);

#endif
