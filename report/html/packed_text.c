// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/html/packed_text.h"

#include <errno.h>
#include <limits.h>
#include <zlib.h>

/* A multiple of 3, so that base64 needs no padding before the end. */
#define CHUNK_BYTES (3u << 14)

static void print_base64(struct textbuf *out, const unsigned char *s, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < len; i += 3) {
		size_t nr = len - i < 3 ? len - i : 3;
		unsigned int bits =
			s[i] << 16 | (nr > 1 ? s[i + 1] << 8 : 0) | (nr > 2 ? s[i + 2] : 0);
		char text[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
				nr > 1 ? digits[bits >> 6 & 63] : '=',
				nr > 2 ? digits[bits & 63] : '='};

		textbuf_bytes(out, text, sizeof(text));
	}
}

int packed_text_print(struct textbuf *out, const void *bytes, size_t len)
{
	unsigned char chunk[CHUNK_BYTES];
	z_stream z = {.next_in = (unsigned char *)bytes, .avail_in = len};
	int ret = Z_OK;

	if (len > UINT_MAX)
		return -E2BIG;
	/* Columns of numbers have few long matches, and short ones cost more than they save. */
	if (deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_FILTERED) != Z_OK)
		return -ENOMEM;
	while (ret != Z_STREAM_END) {
		z.next_out = chunk;
		z.avail_out = sizeof(chunk);
		/* With room for more output and no more input, it does not return before its end.
		 */
		ret = deflate(&z, Z_FINISH);
		print_base64(out, chunk, sizeof(chunk) - z.avail_out);
	}
	deflateEnd(&z);
	return 0;
}
