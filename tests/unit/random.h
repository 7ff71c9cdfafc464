/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random numbers that are the same on every machine: xorshift64. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state; /* not 0 */
};

static inline uint64_t random_u64(struct random *r)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return r->state;
}

/* A number in [0, @n). */
static inline uint64_t random_below(struct random *r, uint64_t n)
{
	return (random_u64(r) >> 11) % n;
}

#endif
