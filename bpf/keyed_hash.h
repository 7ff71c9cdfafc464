/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hash by which the program knows stacks, and the mappings of a process id over time. A
 * profiled process chooses the input. It must not be able to choose two inputs of one hash.
 *
 * The hash has 64 bits: 32 bits of each of two passes. A pass adds up, modulo 2^64, a random number
 * and for each word
 *
 *	(word + key.low) * ((word >> 32) + key.high)
 *
 * and keeps the upper half of the sum. Each place of a word has a random key. In the second pass
 * each word has the key of the next place.
 *
 * Two different inputs of equal length have one hash with a probability of 2^-64, unless somebody
 * chose them who knew the keys:
 *
 * - Let w and w' be the last words that differ, and D the difference of the two sums of the first
 *   pass. D is key.low * ((w >> 32) - (w' >> 32)) + key.high * (w - w'), and terms without this
 *   key. If the upper halves of w and w' differ, key.low has a factor below 2^32; if not, key.high
 *   has one. So D is a fixed number plus a multiple of a power of 2 of at most 2^31, and each
 *   multiple is equally probable.
 * - The sums begin with a random number. So their upper halves are equal with a probability of
 *   1 - |D| / 2^32 if |D| is below 2^32, and never if it is not. Over all D that is 2^-32. This is
 *   Multilinear-HM (Lemire and Kaser, "Strongly universal string hashing is fast", 2014).
 * - In the second pass w and w' have the key of the next place. D does not depend on that key,
 *   because the words at the next place do not differ. So the probabilities multiply. This is the
 *   Toeplitz construction (Black et al., "UMAC: fast and secure message authentication", 1999).
 *
 * So of n inputs, any two have one hash with a probability below n^2 / 2^65.
 */
#ifndef BPF_KEYED_HASH_H
#define BPF_KEYED_HASH_H

#include <linux/types.h>

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

struct hash_key {
	__u64 low, high;
};

/* The number of keys that it takes to hash stacks of up to @depth frames. */
#define HASH_NR_STACK_KEYS(depth) ((depth) + 4)

/* The number of keys that it takes to hash @nr words. */
#define HASH_NR_WORD_KEYS(nr) ((nr) + 2)

struct hash {
	__u64 first, second; /* the sums of the passes */
};

/* keys[0] is of no place: the sums begin with it. */
static __always_inline struct hash hash_begin(const struct hash_key *keys)
{
	return (struct hash){keys[0].low, keys[0].high};
}

/* Adds a word. key[0] is the key of its place, key[1] that of the next place. */
static __always_inline void hash_word(struct hash *h, __u64 word, const struct hash_key *key)
{
	__u64 high = word >> 32;

	h->first += (word + key[0].low) * (high + key[0].high);
	h->second += (word + key[1].low) * (high + key[1].high);
}

static __always_inline __u64 hash_end(const struct hash *h)
{
	return (h->first >> 32 << 32) | h->second >> 32;
}

/*
 * The hash of a stack: of its @nr frames, at most @depth, and of how it ended. Length and end are a
 * word that has keys of its own in both passes. So two stacks that differ in them have one hash
 * with a probability of 2^-64, too.
 */
static __always_inline __u64 hash_frames(const struct hash_key *keys, const __u64 *frames, __u32 nr,
					 __u32 end, __u32 depth)
{
	struct hash h = hash_begin(keys);

	hash_word(&h, nr | (__u64)end << 32, &keys[1]);
	keys += 3;
	for (__u32 i = 0; i < depth; i++) {
		if (i >= nr)
			break;
		hash_word(&h, *frames++, keys++);
	}
	return hash_end(&h);
}

#endif
