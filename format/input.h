/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reading side of the container. It checks file header and section headers, and decompresses
 * payloads within their limits. It passes over sections that it need not understand.
 */
#ifndef FORMAT_INPUT_H
#define FORMAT_INPUT_H

#include <stdint.h>
#include <zstd.h>

#include "common/cursor.h"
#include "format/bytes.h"
#include "format/fault.h"
#include "format/prof_io.h"
#include "format/section.h"

struct input {
	prof_read_fn read;
	void *ctx;
	ZSTD_DCtx *dctx;
	struct bytes encoded, payload;
	uint32_t sequence; /* of the next section */
	uint64_t bytes;    /* read so far */
	/* The section being read: its place, and its type once the header is good. */
	uint64_t section_off;
	uint32_t section_type; /* 0: not known */
};

/*
 * Prepares for reading, and reads nothing. Returns 0 or -ENOMEM. Call input_deinit in both cases.
 */
int input_init(struct input *in, prof_read_fn read, void *ctx);
void input_deinit(struct input *in);

/* Reads and checks the file header. Returns the errors of prof_reader_create. */
int input_file_header(struct input *in, struct fault *fault);

/*
 * Reads the next section of a known type, section_type. *@payload is valid until the next call.
 * Returns the errors of prof_reader_next, and -ENODATA if the source ends before the section
 * begins.
 */
int input_section(struct input *in, struct cursor *payload, struct fault *fault);

/* Checks that nothing follows. Returns 0, -EBADMSG, or the callback's error. */
int input_check_eof(struct input *in, struct fault *fault);

#endif
