// SPDX-License-Identifier: GPL-2.0-or-later
/* The CRC against the vectors of RFC 3720, appendix B.4, in both implementations. */
#include <stdlib.h>
#include <string.h>

#include "common/crc32c.h"
#include "tests/unit/suite.h"

typedef uint32_t (*crc_fn)(uint32_t crc, const void *data, size_t len);

static const crc_fn implementations[] = {crc32c, crc32c_portable};

START_TEST(vectors)
{
	crc_fn crc = implementations[_i];
	uint8_t data[32];

	memset(data, 0, sizeof(data));
	ck_assert_uint_eq(crc(0, data, sizeof(data)), 0x8a9136aa);
	memset(data, 0xff, sizeof(data));
	ck_assert_uint_eq(crc(0, data, sizeof(data)), 0x62a8ab43);
	for (int i = 0; i < 32; i++)
		data[i] = i;
	ck_assert_uint_eq(crc(0, data, sizeof(data)), 0x46dd794e);
	for (int i = 0; i < 32; i++)
		data[i] = 31 - i;
	ck_assert_uint_eq(crc(0, data, sizeof(data)), 0x113fdb5c);
	ck_assert_uint_eq(crc(0, "123456789", 9), 0xe3069283);
	ck_assert_uint_eq(crc(0, "", 0), 0);
}
END_TEST

START_TEST(continues_at_any_split)
{
	const char text[] = "a text long enough for words, rests and odd alignments";

	for (size_t i = 0; i <= sizeof(text); i++) {
		uint32_t crc = crc32c(0, text, i);

		ck_assert_uint_eq(crc32c(crc, text + i, sizeof(text) - i),
				  crc32c_portable(0, text, sizeof(text)));
	}
}
END_TEST

SUITE_MAIN_LOOP("prof_crc32c", vectors, 2, continues_at_any_split)
