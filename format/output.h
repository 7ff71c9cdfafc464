/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The writing side of the container. Payloads go in; compressed sections with their headers go to
 * the callback. Errors are sticky.
 */
#ifndef FORMAT_OUTPUT_H
#define FORMAT_OUTPUT_H

#include <stdint.h>
#include <zstd.h>

#include "format/bytes.h"
#include "format/prof_io.h"
#include "format/section.h"

struct output {
	prof_write_fn write;
	void *ctx;
	ZSTD_CCtx *cctx;
	struct bytes section; /* header and frame of the section being written */
	uint32_t sequence;    /* of the next section */
	uint64_t bytes;       /* written so far */
	int err;
};

/* Writes the file header. Returns 0, -ENOMEM, or the callback's error. */
int output_init(struct output *out, prof_write_fn write, void *ctx);
void output_deinit(struct output *out);

/*
 * Writes a required section whose payload is the @nr @parts in their order. Compresses each part
 * that is large enough with statistics of its own. Returns 0, -E2BIG if the payload exceeds
 * PROF_MAX_SECTION_BYTES, -ENOMEM, the callback's error, or the first error of an earlier call.
 */
int output_section(struct output *out, enum section_type type, const struct bytes *parts,
		   unsigned int nr);

#endif
