/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef COMMON_HEX_H
#define COMMON_HEX_H

#include <stddef.h>
#include <stdint.h>

/* Writes the @nr bytes as 2 * @nr lower-case digits to @to, without a NUL. Returns their end. */
static inline char *hex_put(char *to, const uint8_t *bytes, size_t nr)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < nr; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 0xf];
	}
	return to;
}

#endif
