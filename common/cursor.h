/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads encoded bytes within their bounds. A read that does not fit or is malformed yields 0 and
 * sets bad, which stays set. Decoders check bad once, at the end. They check values of a bad
 * cursor like all others, so they may safely go on with them.
 */
#ifndef COMMON_CURSOR_H
#define COMMON_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	const uint8_t *p, *end;
	bool bad;
};

static inline size_t cursor_left(const struct cursor *c)
{
	return c->end - c->p;
}

/* Makes the cursor bad and empty. Returns 0, for the value that could not be read. */
static inline uint64_t cursor_fail(struct cursor *c)
{
	c->bad = true;
	c->p = c->end;
	return 0;
}

/* Returns true if everything was well-formed and nothing is left. */
static inline bool cursor_is_done(const struct cursor *c)
{
	return !c->bad && c->p == c->end;
}

/* Reads a varint of more than one byte, for cursor_varint alone. */
uint64_t cursor_long_varint(struct cursor *c);

/* Reads a LEB128 varint. A varint that is longer than needed or exceeds 64 bits is malformed. */
static inline uint64_t cursor_varint(struct cursor *c)
{
	if (c->p < c->end && *c->p < 0x80)
		return *c->p++;
	return cursor_long_varint(c);
}

/* Takes @len bytes. Returns NULL if fewer are left. */
const uint8_t *cursor_bytes(struct cursor *c, uint64_t len);

/* Takes @len bytes as a cursor of their own. It is empty and bad if fewer are left. */
struct cursor cursor_sub(struct cursor *c, uint64_t len);

#endif
