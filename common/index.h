/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash index over elements that live in an array elsewhere. It maps a 64-bit hash to array
 * positions, and leaves the comparison to the caller. So one kind of table serves strings, frames,
 * stacks and rows. Elements are never removed one by one. The hashes are those of common/hash.h.
 *
 *	index_for_each(&ix, hash, i)
 *		if (equal(array[i], wanted))
 *			return i;
 *	index_push(&ix, &array, hash, wanted);
 */
#ifndef COMMON_INDEX_H
#define COMMON_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define INDEX_NONE UINT32_MAX

struct index_slot {
	uint32_t elem; /* INDEX_NONE: the slot is free */
	uint32_t tag;  /* high half of the hash: most comparisons end with it */
};

struct index {
	struct index_slot *slots;
	size_t mask; /* number of slots - 1; 0 with slots == NULL */
	size_t nr;
};

/* Enters the element at position @elem with @hash. Returns 0 or -ENOMEM. */
int index_insert(struct index *ix, uint64_t hash, uint32_t elem);

/* Puts @elem in the place of @known, which was inserted with @hash. */
void index_replace(struct index *ix, uint64_t hash, uint32_t known, uint32_t elem);

/* Returns the bytes of memory that the index holds. */
static inline size_t index_bytes(const struct index *ix)
{
	return ix->slots ? (ix->mask + 1) * sizeof(*ix->slots) : 0;
}

/*
 * Appends @elem to the array @v of common/vec.h, whose elements are all in @ix, and records its
 * position. Returns 0, or -ENOMEM: then neither of them has it.
 */
#define index_push(ix, v, hash, elem)                                                              \
	(vec_reserve(v, 1) || index_insert(ix, hash, (v)->nr) ? -ENOMEM : vec_push(v, elem))

/* Empties the index and keeps its memory. */
void index_clear(struct index *ix);

/* Releases the memory. The empty index can be used again. */
void index_deinit(struct index *ix);

/*
 * Returns the next candidate for @hash at or after slot *@pos, or INDEX_NONE. *@pos starts at the
 * hash's high half. A slot keeps the tag alone. So positions come from the tag, and a growing table
 * can place its slots anew.
 */
static inline uint32_t index_next(const struct index *ix, uint64_t hash, size_t *pos)
{
	if (!ix->slots)
		return INDEX_NONE;
	for (;; (*pos)++) {
		const struct index_slot *slot = &ix->slots[*pos & ix->mask];

		if (slot->elem == INDEX_NONE)
			return INDEX_NONE;
		if (slot->tag == hash >> 32) {
			(*pos)++;
			return slot->elem;
		}
	}
}

/*
 * Visits, as @i, the positions of all elements that were inserted with this hash, and rarely
 * others.
 */
#define index_for_each(ix, hash, i)                                                                \
	for (size_t _pos_##i = (uint64_t)(hash) >> 32, _once_##i = 1; _once_##i; _once_##i = 0)    \
		for (uint32_t i; (i = index_next((ix), (hash), &_pos_##i)) != INDEX_NONE;)

#endif
