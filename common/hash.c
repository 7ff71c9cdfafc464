// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/hash.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t hash_seed;

void hash_seed_init(void)
{
	uint64_t seed;

	/* Soon after boot there may be nothing to draw from yet: the kernel gave each process bytes
	 * of its own. */
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		memcpy(&seed, (const void *)getauxval(AT_RANDOM), sizeof(seed)); // NOLINT
	hash_seed = seed;
}

void hash_seed_set(uint64_t seed)
{
	hash_seed = seed;
}

uint64_t hash_bytes(const void *data, size_t len, uint64_t basis)
{
	return XXH3_64bits_withSeed(len ? data : "", len, hash_seed ^ basis);
}

uint64_t hash_u64(uint64_t value)
{
	return XXH3_64bits_withSeed(&value, sizeof(value), hash_seed);
}
