/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads whole files of unknown size, like those of /proc and /sys. */
#ifndef COMMON_READFILE_H
#define COMMON_READFILE_H

#include <stddef.h>
#include <sys/types.h>

#include "common/vec.h"

/*
 * Reads up to a chunk of @fd to the end of @text, which keeps room for a NUL after it. Returns the
 * number of bytes, 0 at the end, -ENOMEM, or the read's errno.
 */
ssize_t read_more(int fd, char_vec *text);

/*
 * Reads @fd from its position to the end into @text, in place of the text there. Appends a NUL that
 * does not count. Returns 0, -EFBIG for more than @max bytes, -ENOMEM, or the read's errno.
 */
int read_fd(int fd, size_t max, char_vec *text);

/* Reads the file at @path like read_fd. Also returns the errno of a failing open. */
int read_file(const char *path, size_t max, char_vec *text);

#endif
