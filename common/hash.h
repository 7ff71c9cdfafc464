/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hashes for common/index.h. Profiled processes and recordings choose the input. Without a secret
 * seed their authors could choose names that all have one hash, and each look-up would pass all of
 * them. A seed that nobody else knows prevents that. Ids of functions in recordings depend on it
 * (doc/prof-format.md, 4.13), and nothing that a report shows.
 */
#ifndef COMMON_HASH_H
#define COMMON_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Draws the seed of this process. Call it before anything is hashed; until then the seed is 0, as
 * in tests.
 */
void hash_seed_init(void);

/* Sets the seed, for tests. */
void hash_seed_set(uint64_t seed);

/*
 * The hash of @len bytes, with 0 or with another hash in @basis, which makes one hash of both.
 * @data may be NULL when @len is 0.
 */
uint64_t hash_bytes(const void *data, size_t len, uint64_t basis);

/* The hash of a number. */
uint64_t hash_u64(uint64_t value);

#endif
