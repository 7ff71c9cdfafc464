/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions by which the reader gets the bytes of a recording, and the writer hands them over.
 */
#ifndef FORMAT_PROF_IO_H
#define FORMAT_PROF_IO_H

#include <stddef.h>
#include <sys/types.h>

/* Reads up to @len bytes. Returns their number, 0 at the end, or a negative errno. */
typedef ssize_t (*prof_read_fn)(void *ctx, void *buf, size_t len);

/* Writes all of @len bytes. Returns 0 or a negative errno. */
typedef int (*prof_write_fn)(void *ctx, const void *buf, size_t len);

#endif
