/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a recording as a stream: it never seeks, so the target may be a pipe. Errors are sticky:
 * after the first one every call returns it and writes nothing.
 */
#ifndef FORMAT_WRITER_H
#define FORMAT_WRITER_H

#include <stdint.h>

#include "format/prof.h"
#include "format/prof_io.h"

struct prof_writer;

/* Creates a writer and writes the file header. Returns 0, -ENOMEM, or @write's error. */
int prof_writer_create(prof_write_fn write, void *ctx, struct prof_writer **writer);

/* Frees the writer. It neither flushes nor ends the recording. NULL is fine. */
void prof_writer_destroy(struct prof_writer *writer);

/*
 * Writes the description. Call it once, first. Returns 0, -E2BIG if a string or list exceeds its
 * limit, -EINVAL if a member is out of range, -ENOMEM, or @write's error.
 */
int prof_writer_meta(struct prof_writer *writer, const struct prof_meta *meta);

/*
 * Writes one epoch. The tables may be in any order, except for the fixed elements 0. The writer
 * sorts tables that compress better sorted, so the file's ids differ from the caller's. Returns 0,
 * -E2BIG if a table exceeds its limit, -EINVAL if an id is out of range, -ENOMEM, or @write's
 * error.
 */
int prof_writer_epoch(struct prof_writer *writer, const struct prof_epoch *epoch);

/*
 * Writes the end record, which makes the recording complete. It must have as many events as the
 * description had. Returns the errors of prof_writer_meta.
 */
int prof_writer_end(struct prof_writer *writer, const struct prof_end *end);

/* Returns the bytes written so far. */
uint64_t prof_writer_bytes(const struct prof_writer *writer);

#endif
