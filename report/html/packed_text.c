// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/html/packed_text.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <zlib.h>

#include "common/minmax.h"

/* Level 9 would take four times as long, for one percent. */
#define LEVEL 6

/* Bytes that are packed with one strategy, and the part of them by which it is chosen. */
#define BLOCK_BYTES (1u << 20)
#define TRIAL_BYTES (1u << 16)

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

static int begin_deflate(z_stream *z, int strategy)
{
	return deflateInit2(z, LEVEL, Z_DEFLATED, -MAX_WBITS, 8, strategy) == Z_OK ? 0 : -ENOMEM;
}

/* Sets *@size to the bytes that the @len bytes at @bytes take. Returns 0 or -ENOMEM. */
static int try_strategy(const unsigned char *bytes, size_t len, int strategy, size_t *size)
{
	z_stream z = {.next_in = (unsigned char *)bytes, .avail_in = len};
	unsigned char chunk[1024];
	int ret = begin_deflate(&z, strategy);

	if (ret)
		return ret;
	do {
		z.next_out = chunk;
		z.avail_out = sizeof(chunk);
	} while (deflate(&z, Z_FINISH) != Z_STREAM_END);
	*size = z.total_out;
	deflateEnd(&z);
	return 0;
}

/*
 * Columns of numbers have few long matches, and short ones cost more than they save (Z_FILTERED).
 * A column of random numbers has no matches but runs of one byte (Z_RLE), and the search for others
 * takes most of the time. Where the middle of a large block says so, it is spared.
 */
static int choose_strategy(const unsigned char *block, size_t len, int *strategy)
{
	const unsigned char *middle = block + (len - TRIAL_BYTES) / 2;
	size_t filtered, runs;
	int ret = try_strategy(middle, TRIAL_BYTES, Z_FILTERED, &filtered);

	if (!ret)
		ret = try_strategy(middle, TRIAL_BYTES, Z_RLE, &runs);
	if (!ret)
		*strategy = runs <= filtered ? Z_RLE : Z_FILTERED;
	return ret;
}

struct packer {
	struct textbuf *out;
	z_stream z;
	unsigned char chunk[CHUNK_BYTES];
};

static void print_chunk(struct packer *packer)
{
	print_base64(packer->out, packer->chunk, sizeof(packer->chunk) - packer->z.avail_out);
	packer->z.next_out = packer->chunk;
	packer->z.avail_out = sizeof(packer->chunk);
}

static void print_block(struct packer *packer, const unsigned char *block, size_t len, int strategy,
			bool is_last)
{
	int flush = is_last ? Z_FINISH : Z_NO_FLUSH, ret;
	z_stream *z = &packer->z;

	/* The end of what was packed with another strategy needs room, too. */
	while (deflateParams(z, LEVEL, strategy) == Z_BUF_ERROR)
		print_chunk(packer);
	z->next_in = (unsigned char *)block;
	z->avail_in = len;
	do {
		if (!z->avail_out)
			print_chunk(packer);
		ret = deflate(z, flush);
	} while (is_last ? ret != Z_STREAM_END : z->avail_in);
}

static int print_blocks(struct packer *packer, const unsigned char *bytes, size_t len)
{
	int strategy = Z_FILTERED, ret = 0;
	size_t begin = 0, nr;

	do {
		nr = min_u64(len - begin, BLOCK_BYTES);
		if (nr == BLOCK_BYTES)
			ret = choose_strategy(bytes + begin, nr, &strategy);
		if (!ret)
			print_block(packer, bytes + begin, nr, strategy, begin + nr == len);
		begin += nr;
	} while (begin < len && !ret);
	return ret;
}

int packed_text_print(struct textbuf *out, const void *bytes, size_t len)
{
	struct packer packer = {.out = out};
	int ret;

	packer.z.next_out = packer.chunk;
	packer.z.avail_out = sizeof(packer.chunk);
	ret = begin_deflate(&packer.z, Z_FILTERED);
	if (ret)
		return ret;
	ret = print_blocks(&packer, bytes, len);
	if (!ret)
		print_chunk(&packer);
	deflateEnd(&packer.z);
	return ret;
}
