/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads DWARF's encodings within their bounds. A read that does not fit yields 0 and sets bad,
 * which stays set. format/cursor.h refuses numbers that are longer than needed. Here such numbers
 * are the assembler's padding.
 */
#ifndef RECORD_CFI_DWARF_BYTES_H
#define RECORD_CFI_DWARF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dwarf_bytes {
	const uint8_t *p, *end;
	bool bad;
};

static inline size_t dwarf_left(const struct dwarf_bytes *b)
{
	return b->end - b->p;
}

static inline uint64_t dwarf_fail(struct dwarf_bytes *b)
{
	b->bad = true;
	b->p = b->end;
	return 0;
}

/* A little-endian number of @size bytes, at most 8. */
static inline uint64_t dwarf_fixed(struct dwarf_bytes *b, size_t size)
{
	uint64_t value = 0;

	if (dwarf_left(b) < size)
		return dwarf_fail(b);
	memcpy(&value, b->p, size);
	b->p += size;
	return value;
}

static inline uint8_t dwarf_u8(struct dwarf_bytes *b)
{
	return b->p < b->end ? *b->p++ : dwarf_fail(b);
}

/* Bits beyond 64 are malformed. */
static inline uint64_t dwarf_uleb(struct dwarf_bytes *b)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte = dwarf_u8(b);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	return dwarf_fail(b);
}

static inline int64_t dwarf_sleb(struct dwarf_bytes *b)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64;) {
		uint8_t byte = dwarf_u8(b);

		value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (byte & 0x40 && shift < 64)
			value |= ~UINT64_C(0) << shift;
		return value;
	}
	return dwarf_fail(b);
}

/* Takes the next @size bytes from @b; takes none when they are not all there. */
static inline struct dwarf_bytes dwarf_block(struct dwarf_bytes *b, uint64_t size)
{
	struct dwarf_bytes block = {b->p, b->p, false};

	if (dwarf_left(b) < size) {
		dwarf_fail(b);
		block.bad = true;
		return block;
	}
	b->p += size;
	block.end = b->p;
	return block;
}

#endif
