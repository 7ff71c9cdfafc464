/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a recording as a stream: it never seeks, so the source may be a pipe. The bytes are not
 * trusted: every length is checked against a limit and against what is there before memory is
 * allocated, and every id before it is handed out.
 */
#ifndef FORMAT_READER_H
#define FORMAT_READER_H

#include <stdint.h>

#include "format/prof.h"
#include "format/prof_io.h"

struct prof_reader;

/*
 * What the reader found wrong, for messages: "section 'counts' at offset 1234: count 7: stack 99 is
 * out of range". Valid until the next call on the reader.
 */
const char *prof_reader_error(const struct prof_reader *reader);

/*
 * Creates a reader and reads the header and the description. Errors: -EBADMSG corrupt,
 * -EPROTONOSUPPORT not a recording or of a version or with a required feature that this reader
 * does not know, -ENODATA ends before the description is whole, -ENOMEM, or what @read returned.
 * *@reader is set also on failure, for prof_reader_error (but for -ENOMEM).
 */
int prof_reader_create(prof_read_fn read, void *ctx, struct prof_reader **reader);

void prof_reader_destroy(struct prof_reader *reader);

/* The description; lives as long as the reader. */
const struct prof_meta *prof_reader_meta(const struct prof_reader *reader);

enum prof_read_result {
	PROF_READ_EPOCH = 1, /* *epoch is filled */
	PROF_READ_END = 2,   /* the recording is complete; prof_reader_end is valid */
};

/*
 * Reads the next epoch; *@epoch points into the reader and lives until the next call. Returns a
 * prof_read_result, or -ENODATA when the recording ends without its end record (it was cut short:
 * everything handed out so far is good), or an error as above. After an error or the end every
 * further call returns the same.
 */
int prof_reader_next(struct prof_reader *reader, const struct prof_epoch **epoch);

/* The end record, NULL before PROF_READ_END. */
const struct prof_end *prof_reader_end(const struct prof_reader *reader);

/* Bytes of the recording read so far. */
uint64_t prof_reader_bytes(const struct prof_reader *reader);

#endif
