/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ring buffers of the programs, the kernel's or those in the recorder's own memory. */
#ifndef RECORD_SAMPLING_PROGRAM_RINGS_H
#define RECORD_SAMPLING_PROGRAM_RINGS_H

#include <stddef.h>

struct rings;

/* Takes a record. A negative errno ends the reading of this buffer. */
typedef int (*rings_fn)(void *ctx, void *record, size_t bytes);

/* Returns 0 or -ENOMEM. */
int rings_create(struct rings **rings);

/* @rings may be NULL. */
void rings_destroy(struct rings *rings);

/*
 * Adds the ring buffer @fd. All of @rings are the kernel's, or all are the recorder's own. Returns
 * 0 or a negative errno.
 */
int rings_add(struct rings *rings, int fd, rings_fn take, void *ctx);

/*
 * Calls the functions for all records that are there, buffer by buffer. It takes little more from a
 * buffer than the buffer holds, so that it ends though programs go on to write. Returns 0 or the
 * negative errno of a function.
 */
int rings_consume(struct rings *rings);

/* A descriptor that polls readable while there are records. */
int rings_fd(const struct rings *rings);

#endif
