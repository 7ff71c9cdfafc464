// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/html/packed_text.h"

#include <string.h>
#include <zlib.h>

#include "tests/unit/random.h"
#include "tests/unit/suite.h"

/* Blocks of random numbers and of repeated words take turns, so that each is packed in its way. */
#define PART_BYTES ((size_t)3 << 20)
#define PARTS      4
#define MAX_BYTES  (PARTS * PART_BYTES)

static unsigned char plain[MAX_BYTES], packed[MAX_BYTES], unpacked[MAX_BYTES];

static void make_plain(void)
{
	struct random r = {.state = 1};

	for (size_t i = 0; i < MAX_BYTES; i++) {
		bool is_random = i / PART_BYTES % 2;

		plain[i] = is_random ? random_below(&r, 12) * random_below(&r, 2)
				     : i % 1000 * (i % 1000) >> 3;
	}
}

/* Returns the number of bytes that the @nr digits at @text stand for. */
static size_t decode_base64(const char *text, size_t nr)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned int bits = 0;
	size_t len = 0, i = 0;

	ck_assert_uint_eq(nr % 4, 0);
	for (; i < nr && text[i] != '='; i++) {
		const char *digit = memchr(digits, text[i], sizeof(digits) - 1);

		ck_assert_ptr_nonnull(digit);
		bits = bits << 6 | (digit - digits);
		if (i % 4)
			packed[len++] = bits >> (6 - i % 4 * 2);
	}
	/* Padding is at the end alone. */
	ck_assert_uint_le(nr - i, 2);
	return len;
}

/* Packs and unpacks the first @len bytes. Returns the length of the text. */
static size_t check_packed(size_t len)
{
	struct textbuf out = {.fd = -1};
	z_stream z = {.next_in = packed, .next_out = unpacked, .avail_out = MAX_BYTES};
	size_t nr;

	ck_assert_int_eq(packed_text_print(&out, plain, len), 0);
	z.avail_in = decode_base64(out.data, out.nr);
	ck_assert_int_eq(inflateInit2(&z, -MAX_WBITS), Z_OK);
	ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
	ck_assert_uint_eq(z.total_out, len);
	ck_assert(!memcmp(plain, unpacked, len));
	inflateEnd(&z);
	nr = out.nr;
	textbuf_deinit(&out);
	return nr;
}

START_TEST(unpacks)
{
	size_t one, two, both;

	make_plain();
	check_packed(0);
	check_packed(1);
	check_packed(1000);
	check_packed(1 << 20);
	check_packed((1 << 20) + 1);
	one = check_packed(PART_BYTES);
	both = check_packed(2 * PART_BYTES);
	two = check_packed(MAX_BYTES);
	/* Repeated words stay small after random numbers. */
	ck_assert_uint_lt(two - both, both + one / 2);
}
END_TEST

SUITE_MAIN("packed_text", unpacks)
