/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fibonacci hashing (Knuth, The Art of Computer Programming, volume 3, 6.4): for places in small
 * caches and for checks of words. Whoever chooses the input can choose inputs of one hash, and then
 * loses time or names of his own alone; bpf/keyed_hash.h is for the rest.
 */
#ifndef BPF_SPREAD_HASH_H
#define BPF_SPREAD_HASH_H

#include <linux/types.h>

#define SPREAD_FACTOR 0x9e3779b97f4a7c15ULL

/* @bits bits of the hash. Macros: as functions, they would change the programs' instructions. */
#define SPREAD_HASH(value, bits)    ((__u64)(value)*SPREAD_FACTOR >> (64 - (bits)))
#define SPREAD_HASH_32(value, bits) ((__u32)(value)*2654435769u >> (32 - (bits)))

#endif
