/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads whole files whose size is not known beforehand, as those of /proc and /sys. */
#ifndef COMMON_READFILE_H
#define COMMON_READFILE_H

#include <stddef.h>

#include "common/vec.h"

/*
 * Reads @fd from its position to the end into @text, in place of the text there, and appends a NUL
 * that does not count. Returns 0, -EFBIG when there are more than @max bytes, -ENOMEM, or the
 * read's errno.
 */
int read_fd(int fd, size_t max, char_vec *text);

/* As read_fd, for the file at @path. Also returns the errno of a failing open. */
int read_file(const char *path, size_t max, char_vec *text);

#endif
