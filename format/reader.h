/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a recording as a stream: it never seeks, so the source may be a pipe. It does not trust the
 * bytes. It checks every length against a limit and against the bytes that are left, before it
 * allocates memory. It checks every id before it hands the id out.
 */
#ifndef FORMAT_READER_H
#define FORMAT_READER_H

#include <stdint.h>

#include "format/prof.h"
#include "format/prof_io.h"

struct prof_reader;

/*
 * Returns the words for the defect that the reader found: "section 'counts' at offset 1234: count
 * 7: stack 99 is out of range". Valid until the next call on the reader.
 */
const char *prof_reader_error(const struct prof_reader *reader);

/*
 * Creates a reader and reads the header and the description. Returns 0, -EBADMSG for corrupt bytes,
 * -ENOMEM, or @read's error. -EPROTONOSUPPORT: not a recording, or one of a version or with a
 * required feature that this reader does not know. -ENODATA: the bytes end before the description
 * is whole. After all errors but -ENOMEM, *@reader is set for prof_reader_error.
 */
int prof_reader_create(prof_read_fn read, void *ctx, struct prof_reader **reader);

void prof_reader_destroy(struct prof_reader *reader);

/* Returns the description, which lives as long as the reader. */
const struct prof_meta *prof_reader_meta(const struct prof_reader *reader);

enum prof_read_result {
	PROF_READ_EPOCH = 1, /* *epoch is filled */
	PROF_READ_END = 2,   /* the recording is complete; prof_reader_end is valid */
};

/*
 * Reads the next epoch. *@epoch points into the reader and lives until the next call. Returns a
 * prof_read_result, or an error of prof_reader_create. -ENODATA: the recording was cut short before
 * its end record, and all epochs handed out so far are good. After an error or the end, every
 * further call returns that result again.
 */
int prof_reader_next(struct prof_reader *reader, const struct prof_epoch **epoch);

/* Returns the end record, NULL before PROF_READ_END. */
const struct prof_end *prof_reader_end(const struct prof_reader *reader);

/* Returns the bytes of the recording that were read so far. */
uint64_t prof_reader_bytes(const struct prof_reader *reader);

#endif
