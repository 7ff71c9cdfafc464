/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads DWARF's encodings of numbers. cursor_varint refuses numbers that are longer than needed.
 * DWARF allows such numbers: they are the assembler's padding.
 */
#ifndef ELF_DWARF_BYTES_H
#define ELF_DWARF_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/cursor.h"

/* A little-endian number of @size bytes, at most 8. */
static inline uint64_t dwarf_fixed(struct cursor *b, size_t size)
{
	uint64_t value = 0;

	if (cursor_left(b) < size)
		return cursor_fail(b);
	memcpy(&value, b->p, size);
	b->p += size;
	return value;
}

static inline uint8_t dwarf_u8(struct cursor *b)
{
	return b->p < b->end ? *b->p++ : cursor_fail(b);
}

/* Bits beyond 64 are malformed. */
static inline uint64_t dwarf_uleb(struct cursor *b)
{
	uint64_t value = 0;

	/* Most numbers have one byte. */
	if (b->p < b->end && *b->p < 0x80)
		return *b->p++;
	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t byte = dwarf_u8(b);

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	return cursor_fail(b);
}

static inline int64_t dwarf_sleb(struct cursor *b)
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
	return cursor_fail(b);
}

#endif
