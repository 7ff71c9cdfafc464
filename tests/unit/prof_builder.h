/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds recordings section by section, good ones and others that no writer would write. */
#ifndef TESTS_PROF_BUILDER_H
#define TESTS_PROF_BUILDER_H

#include <zstd.h>

#include "common/crc32c.h"
#include "format/bytes.h"
#include "format/section.h"
#include "tests/unit/prof_helper.h"

struct payload {
	const char *data;
	size_t len;
};

/* From a literal, which may hold NULs. */
#define PAYLOAD(s)                                                                                 \
	{                                                                                          \
		(s), sizeof(s) - 1                                                                 \
	}

static inline void build_file_header(struct memory *m)
{
	uint8_t bytes[FILE_HEADER_BYTES];

	file_header_pack(bytes);
	memory_write(m, bytes, sizeof(bytes));
}

/* Compresses @payload, with or without a @checksum. @window_log is 0 for the usual window. */
static inline struct memory build_frame(struct payload payload, int checksum, int window_log)
{
	ZSTD_CCtx *cctx = ZSTD_createCCtx();
	struct memory frame = {0};
	size_t bound = ZSTD_compressBound(payload.len);

	if (!cctx || vec_reserve(&frame, bound))
		abort();
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_checksumFlag, checksum);
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_windowLog, window_log);
	frame.nr = ZSTD_compress2(cctx, frame.data, bound, payload.data, payload.len);
	if (ZSTD_isError(frame.nr))
		abort();
	ZSTD_freeCCtx(cctx);
	return frame;
}

/* A header that is right for @payload in @frame. */
static inline struct section_header build_header(uint32_t type, uint32_t sequence,
						 struct payload payload, const struct memory *frame)
{
	return (struct section_header){
		.type = type,
		.flags = section_flags(type),
		.sequence = sequence,
		.decoded_bytes = payload.len,
		.encoded_bytes = frame->nr,
		.payload_crc = crc32c(0, payload.data, payload.len),
	};
}

static inline void build_put(struct memory *m, const struct section_header *header,
			     const struct memory *frame)
{
	uint8_t bytes[SECTION_HEADER_BYTES];

	section_header_pack(header, bytes);
	memory_write(m, bytes, sizeof(bytes));
	memory_write(m, frame->data, frame->nr);
}

static inline void build_section(struct memory *m, uint32_t type, uint32_t sequence,
				 struct payload payload)
{
	struct memory frame = build_frame(payload, 1, 0);
	struct section_header header = build_header(type, sequence, payload, &frame);

	build_put(m, &header, &frame);
	free(frame.data);
}

/* END: the two attributes that belong to the container, then those in @more. */
static inline void build_end(struct memory *m, uint32_t sequence, struct payload more)
{
	struct bytes list = {0}, number = {0};

	for (unsigned int tag = 1; tag <= 2; tag++) {
		bytes_clear(&number);
		bytes_varint(&number, tag == 1 ? sequence : m->nr);
		bytes_varint(&list, tag);
		bytes_varint(&list, number.nr);
		bytes_put(&list, number.data, number.nr);
	}
	bytes_put(&list, more.data, more.len);
	build_section(m, SECTION_END, sequence, (struct payload){(char *)list.data, list.nr});
	vec_free(&number);
	vec_free(&list);
}

#endif
