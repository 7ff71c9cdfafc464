/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set of ids that never shrinks. One thread adds ids while others ask. Its room is bounded: a
 * full set takes no more ids, so whoever relies on it repeats himself and is not wrong.
 */
#ifndef REPORT_TABLES_ID_SET_H
#define REPORT_TABLES_ID_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* id_set_init makes a set. */
struct id_set {
	uint64_t *slots; /* 0: free */
	size_t nr, mask; /* ids; slots - 1 */
};

/* Makes room for 7/8 of @nr_slots ids, a power of two. Returns 0 or -ENOMEM. */
int id_set_init(struct id_set *set, size_t nr_slots);

/* Releases the set; an all-zero set is fine. */
void id_set_deinit(struct id_set *set);

bool id_set_has(const struct id_set *set, uint64_t id);

static inline bool id_set_is_full(const struct id_set *set)
{
	return set->nr > set->mask / 8 * 7;
}

/* Adds @id, which is not 0. Returns true if the set did not have it, and if it is full. */
bool id_set_add(struct id_set *set, uint64_t id);

/* Empties the set and keeps its room. No other thread may ask meanwhile. */
void id_set_clear(struct id_set *set);

#endif
