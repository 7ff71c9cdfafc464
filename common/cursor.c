// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/cursor.h"

uint64_t cursor_long_varint(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint64_t group;

		if (c->p == c->end)
			return cursor_fail(c);
		group = *c->p & 0x7f;
		/* The tenth byte has room for one bit. */
		if (shift == 63 && group > 1)
			return cursor_fail(c);
		v |= group << shift;
		if (*c->p++ < 0x80)
			return group || !shift ? v : cursor_fail(c);
	}
	return cursor_fail(c);
}

const uint8_t *cursor_bytes(struct cursor *c, uint64_t len)
{
	const uint8_t *p = c->p;

	if (len > cursor_left(c)) {
		cursor_fail(c);
		return NULL;
	}
	c->p += len;
	return p;
}

struct cursor cursor_sub(struct cursor *c, uint64_t len)
{
	const uint8_t *p = cursor_bytes(c, len);

	return (struct cursor){
		.p = p ? p : c->end,
		.end = p ? p + len : c->end,
		.bad = !p,
	};
}
