/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing run of encoded bytes. When memory runs out, err remembers it, and encoders check err
 * once, at the end. So an encoder reads as the list of its fields.
 */
#ifndef FORMAT_BYTES_H
#define FORMAT_BYTES_H

#include <stdint.h>

#include "common/vec.h"

/* Longest varint: ten groups of seven bits hold 64. */
#define VARINT_MAX_BYTES 10

struct bytes {
	uint8_t *data;
	size_t nr, cap;
	int err; /* 0 or -ENOMEM; the bytes are then not whole */
};

/* Empties @b and keeps its memory. */
static inline void bytes_clear(struct bytes *b)
{
	b->nr = 0;
	b->err = 0;
}

static inline void bytes_put(struct bytes *b, const void *data, size_t len)
{
	int ret = vec_append(b, (const uint8_t *)data, len);

	if (ret)
		b->err = ret;
}

/* Appends @v as the shortest LEB128 varint. */
static inline void bytes_varint(struct bytes *b, uint64_t v)
{
	if (vec_reserve(b, VARINT_MAX_BYTES)) {
		b->err = -ENOMEM;
		return;
	}
	for (; v >= 0x80; v >>= 7)
		b->data[b->nr++] = (uint8_t)v | 0x80;
	b->data[b->nr++] = (uint8_t)v;
}

/* Maps a difference modulo 2^64 to a number that is small when the difference is near 0. */
static inline uint64_t zigzag_encode(uint64_t diff)
{
	return diff << 1 ^ (diff >> 63 ? UINT64_MAX : 0);
}

static inline uint64_t zigzag_decode(uint64_t v)
{
	return v >> 1 ^ (v & 1 ? UINT64_MAX : 0);
}

/*
 * Addresses and sizes are mostly whole pages. Rotation moves the zeros at the end to the front,
 * where they take no space.
 */
#define PAGE_ROTATION 12

static inline uint64_t page_rotate(uint64_t v)
{
	return v >> PAGE_ROTATION | v << (64 - PAGE_ROTATION);
}

static inline uint64_t page_unrotate(uint64_t v)
{
	return v << PAGE_ROTATION | v >> (64 - PAGE_ROTATION);
}

/* Fixed-width little-endian fields, on any machine and at any alignment. */
static inline void put_le(uint8_t *p, uint64_t v, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static inline uint64_t get_le(const uint8_t *p, unsigned int size)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < size; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

#endif
