// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf/keyed_hash.h"

#include "tests/unit/random.h"
#include "tests/unit/suite.h"

#define DEPTH      32
#define NR_FRAMES  8
#define FRAME_BITS (64 * NR_FRAMES)
#define END        1

/*
 * Two hashes nearly collide in a half if the upper 12 bits of that half are equal. Random hashes do
 * so once in 4096 pairs. If a difference of inputs had a trail through the hash, they would do so
 * more often.
 */
#define NEAR_BITS 12

struct near {
	uint64_t nr, upper, lower;
};

static void make_keys(struct random *r, struct hash_key *keys)
{
	for (int i = 0; i < HASH_NR_STACK_KEYS(DEPTH); i++)
		keys[i] = (struct hash_key){random_u64(r), random_u64(r)};
}

/* Two thirds of the frames are addresses as a process has them; the others are anything. */
static void make_frames(struct random *r, __u64 *frames, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		frames[i] = i % 3 == 2 ? random_u64(r) : 0x7f0000000000 + random_below(r, 1 << 30);
}

static uint64_t hash_stack(const struct hash_key *keys, const __u64 *frames, uint32_t nr,
			   uint32_t end)
{
	return hash_frames(keys, frames, nr, end, DEPTH);
}

/* The hashes of two different inputs must differ. Counts in which halves they nearly collide. */
static void compare_hashes(struct near *near, uint64_t a, uint64_t b)
{
	ck_assert_uint_ne(a, b);
	near->nr++;
	near->upper += (a ^ b) >> (64 - NEAR_BITS) == 0;
	near->lower += (uint32_t)(a ^ b) >> (32 - NEAR_BITS) == 0;
}

static void expect_no_trail(const struct near *near)
{
	/* Where 100 and more are expected, random hashes do not nearly collide twice as often. */
	ck_assert_uint_ge(near->nr >> NEAR_BITS, 100);
	ck_assert_uint_lt(near->upper, 2 * (near->nr >> NEAR_BITS));
	ck_assert_uint_lt(near->lower, 2 * (near->nr >> NEAR_BITS));
}

static void flip_bit(__u64 *frames, int bit)
{
	frames[bit / 64] ^= 1ULL << bit % 64;
}

START_TEST(one_and_two_bits)
{
	struct random r = {1};
	struct hash_key keys[HASH_NR_STACK_KEYS(DEPTH)];
	__u64 frames[NR_FRAMES];
	struct near near = {0};

	for (int stack = 0; stack < 8; stack++) {
		uint64_t of_stack;

		make_keys(&r, keys);
		make_frames(&r, frames, NR_FRAMES);
		of_stack = hash_stack(keys, frames, NR_FRAMES, END);
		for (int i = 0; i < FRAME_BITS; i++) {
			flip_bit(frames, i);
			compare_hashes(&near, of_stack, hash_stack(keys, frames, NR_FRAMES, END));
			for (int j = 0; j < i; j++) {
				flip_bit(frames, j);
				compare_hashes(&near, of_stack,
					       hash_stack(keys, frames, NR_FRAMES, END));
				flip_bit(frames, j);
			}
			flip_bit(frames, i);
		}
	}
	expect_no_trail(&near);
}
END_TEST

/*
 * Pairs of differences of which the second may take the first away. Multiplication leaves a
 * difference in the top bit alone; a rotation or a shift moves others there.
 */
START_TEST(differences_that_take_each_other_away)
{
	static const uint64_t differences[] = {
		1ULL << 63,         1ULL << 63 | 1ULL << 31,
		1ULL << 34,         1ULL << 34 | 1ULL << 2,
		1ULL << 31,         1ULL << 32,
		UINT64_MAX,         0xffffffff,
		0xffffffff00000000, 0x100000001,
	};
	const size_t nr = sizeof(differences) / sizeof(differences[0]);
	struct random r = {2};
	struct hash_key keys[HASH_NR_STACK_KEYS(DEPTH)];
	__u64 frames[NR_FRAMES], others[NR_FRAMES];
	struct near near = {0};

	for (int stack = 0; stack < 700; stack++) {
		make_keys(&r, keys);
		make_frames(&r, frames, NR_FRAMES);
		for (size_t i = 0; i < nr * nr; i++) {
			for (int at = 0; at + 1 < NR_FRAMES; at++) {
				memcpy(others, frames, sizeof(frames));
				others[at] ^= differences[i / nr];
				others[at + 1] ^= differences[i % nr];
				compare_hashes(&near, hash_stack(keys, frames, NR_FRAMES, END),
					       hash_stack(keys, others, NR_FRAMES, END));
			}
		}
	}
	expect_no_trail(&near);
}
END_TEST

/* Frames are exchanged, moved and added, also frames of 0. */
START_TEST(order_and_length)
{
	struct random r = {3};
	struct hash_key keys[HASH_NR_STACK_KEYS(DEPTH)];
	__u64 frames[DEPTH], others[DEPTH];
	struct near near = {0};

	for (int stack = 0; stack < 2000; stack++) {
		uint64_t of_nr[DEPTH + 1];

		make_keys(&r, keys);
		make_frames(&r, frames, DEPTH);
		if (stack % 2)
			memset(frames + stack % DEPTH, 0,
			       (DEPTH - stack % DEPTH) * sizeof(*frames));
		for (uint32_t nr = 0; nr <= DEPTH; nr++) {
			of_nr[nr] = hash_stack(keys, frames, nr, END);
			for (uint32_t shorter = 0; shorter < nr; shorter++)
				compare_hashes(&near, of_nr[nr], of_nr[shorter]);
			compare_hashes(&near, of_nr[nr], hash_stack(keys, frames, nr, END + 1));
		}
		for (uint32_t i = 1; i < DEPTH; i++) {
			memcpy(others, frames, sizeof(frames));
			others[0] = frames[i];
			others[i] = frames[0];
			if (others[0] != others[i])
				compare_hashes(&near, of_nr[DEPTH],
					       hash_stack(keys, others, DEPTH, END));
			compare_hashes(&near, of_nr[DEPTH - i],
				       hash_stack(keys, frames + i, DEPTH - i, END));
		}
	}
	expect_no_trail(&near);
}
END_TEST

/* Each key has an effect on the hash. */
START_TEST(each_key_counts)
{
	struct random r = {4};
	struct hash_key keys[HASH_NR_STACK_KEYS(DEPTH)];
	__u64 frames[DEPTH], of_stack;

	make_keys(&r, keys);
	make_frames(&r, frames, DEPTH);
	of_stack = hash_stack(keys, frames, DEPTH, END);
	for (int i = 0; i < HASH_NR_STACK_KEYS(DEPTH); i++) {
		struct hash_key key = keys[i];

		keys[i].low ^= random_u64(&r);
		ck_assert_uint_ne(hash_stack(keys, frames, DEPTH, END), of_stack);
		keys[i] = key;
		keys[i].high ^= random_u64(&r);
		ck_assert_uint_ne(hash_stack(keys, frames, DEPTH, END), of_stack);
		keys[i] = key;
	}
	ck_assert_uint_eq(hash_stack(keys, frames, DEPTH, END), of_stack);
}
END_TEST

SUITE_MAIN("keyed_hash", one_and_two_bits, differences_that_take_each_other_away, order_and_length,
	   each_key_counts)
