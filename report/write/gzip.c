// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/write/gzip.h"

#include <errno.h>
#include <zlib.h>

/* deflateInit2: a window of 32 KiB, and a header of gzip. */
#define GZIP_WINDOW_BITS (15 + 16)

/* zlib counts bytes by unsigned int. */
#define INPUT_BYTES_MAX (1u << 30)

int gzip_append(struct textbuf *out, const void *bytes, size_t len)
{
	const uint8_t *end = (const uint8_t *)bytes + len;
	uint8_t chunk[1 << 16];
	z_stream z = {0};
	int state = Z_OK;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW_BITS, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	z.next_in = (uint8_t *)bytes;
	while (state != Z_STREAM_END) {
		size_t left = end - z.next_in;

		z.avail_in = left < INPUT_BYTES_MAX ? left : INPUT_BYTES_MAX;
		z.next_out = chunk;
		z.avail_out = sizeof(chunk);
		state = deflate(&z, z.avail_in == left ? Z_FINISH : Z_NO_FLUSH);
		textbuf_bytes(out, chunk, sizeof(chunk) - z.avail_out);
	}
	deflateEnd(&z);
	return out->error;
}
