/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pool of fixed size that all users of the host share, such as slots for files or room for
 * mappings. Whoever comes first must not keep the others out, since the profiled processes choose
 * what is to be put there. So the pool knows the owner of each item. As long as there is room,
 * anybody may take it. When the pool is full, the owner with most gives back what it has beyond
 * the others, the least used item first. Root (user id 0) is asked last, and has what it needs.
 *
 * An item is a number that the user of the pool chooses, from 0 on. Its size is in units of the
 * pool.
 */
#ifndef RECORD_SHARES_SHARES_H
#define RECORD_SHARES_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/vec.h"
#include "record/shares/owner_ids.h"

/* The number of no item. */
#define SHARES_NO_ITEM UINT32_MAX

/* Owners that a pool tells apart. All others count as one, SHARES_OTHERS. */
#define SHARES_OWNERS_MAX 1024
#define SHARES_OTHERS     (UINT32_MAX - 1)

struct share_item {
	uint32_t owner; /* its place among the owners */
	uint32_t nr;    /* units; 0: the item has no room */
	uint64_t use;   /* samples, or what else tells how much it is wanted; fades with time */
	uint64_t turn;  /* of all takes, in their order */
};

struct share_owner {
	uint32_t uid;
	uint64_t held;
	uint64_t nr_lacked; /* how often something of this owner had no room, or lost it */
};

/* All zero but the first two: nothing is taken. */
struct shares {
	uint64_t size;
	/*
	 * The most that an owner other than root may have: for a pool whose room nobody can give
	 * back at once. 0: there is no limit.
	 */
	uint64_t owner_max;
	uint64_t used;
	uint64_t nr_takes;
	VEC(struct share_item) items;
	VEC(struct share_owner) owners;
};

/* Who answers for what a process does with a file: whichever of their users is not root. */
static inline uint32_t share_owner_of(uint32_t process_uid, uint32_t file_uid)
{
	return owner_id(process_uid ? process_uid : file_uid);
}

/*
 * Takes @nr units, at least 1, for @item of @uid, which has no room yet. @use is how much it is
 * wanted; with 0 it gives way to everything else. Returns 0; -ENOMEM; or -ENOSPC. Then *@loser is
 * the item that has to go first: the caller gives it back, and takes again. When that is
 * SHARES_NO_ITEM, there is no room for @item, which is counted.
 */
int shares_take(struct shares *shares, uint32_t item, uint32_t uid, uint32_t nr, uint64_t use,
		uint32_t *loser);

/*
 * The item that has to go so that @uid may have @nr units that are wanted by @use, or
 * SHARES_NO_ITEM: for a pool whose room is free only some time after it was given back.
 */
uint32_t shares_loser(const struct shares *shares, uint32_t uid, uint32_t nr, uint64_t use);

/* Gives the room of @item back. Without room, nothing happens. */
void shares_give(struct shares *shares, uint32_t item);

/* @item is one of @uid from now on. Without room, or memory for the owner, nothing happens. */
void shares_move(struct shares *shares, uint32_t item, uint32_t uid);

/* The item was used @nr times more. Without room, nothing happens. */
void shares_use(struct shares *shares, uint32_t item, uint64_t nr);

/* What @uid has, and what the owner other than root has that has most; in units. */
uint64_t shares_held(const struct shares *shares, uint32_t uid);
uint64_t shares_most_held(const struct shares *shares);

/*
 * Some time has passed: halves the use of all items. What is used no more is idle (0) in the end.
 */
void shares_age(struct shares *shares);

/* Something of @uid had no room. Without memory for the note, it is lost. */
void shares_note_lack(struct shares *shares, uint32_t uid);
void shares_note_lacks(struct shares *shares, uint32_t uid, uint64_t nr);

/* How often something had no room, of all owners. */
uint64_t shares_nr_lacked(const struct shares *shares);

/* The owner for whom most had no room; NULL: everything had room. */
const struct share_owner *shares_most_lacked(const struct shares *shares);

void shares_deinit(struct shares *shares);

#endif
