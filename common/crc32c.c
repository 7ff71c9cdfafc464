// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/crc32c.h"

#include <string.h>

/* Remainders of the sixteen nibbles: entry i is i after four steps of the polynomial. */
static const uint32_t nibbles[16] = {
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3,
	0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
	0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t crc32c_portable(uint32_t crc, const void *data, size_t len)
{
	const uint8_t *p = data;

	crc = ~crc;
	while (len--) {
		crc ^= *p++;
		crc = crc >> 4 ^ nibbles[crc & 15];
		crc = crc >> 4 ^ nibbles[crc & 15];
	}
	return ~crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t crc, const uint8_t *p,
							       size_t len)
{
	uint64_t state = ~crc;

	for (; len >= sizeof(uint64_t); p += sizeof(uint64_t), len -= sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, p, sizeof(word));
		state = __builtin_ia32_crc32di(state, word);
	}
	while (len--)
		state = __builtin_ia32_crc32qi(state, *p++);
	return ~(uint32_t)state;
}
#endif

uint32_t crc32c(uint32_t crc, const void *data, size_t len)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_sse42(crc, data, len);
#endif
	return crc32c_portable(crc, data, len);
}
