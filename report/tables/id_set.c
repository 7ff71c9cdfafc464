// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/id_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

int id_set_init(struct id_set *set, size_t nr_slots)
{
	uint64_t *slots = calloc(nr_slots, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	*set = (struct id_set){.slots = slots, .mask = nr_slots - 1};
	return 0;
}

void id_set_deinit(struct id_set *set)
{
	free(set->slots);
	*set = (struct id_set){0};
}

/*
 * Returns the slot that has @id, or the free one where it belongs. Recordings choose ids, and could
 * choose those of one slot: so a secret hash places them.
 */
static uint64_t *find_slot(const struct id_set *set, uint64_t id)
{
	for (size_t i = hash_u64(id);; i++) {
		uint64_t *slot = &set->slots[i & set->mask];
		uint64_t found = __atomic_load_n(slot, __ATOMIC_RELAXED);

		if (!found || found == id)
			return slot;
	}
}

bool id_set_has(const struct id_set *set, uint64_t id)
{
	return __atomic_load_n(find_slot(set, id), __ATOMIC_RELAXED) == id;
}

bool id_set_add(struct id_set *set, uint64_t id)
{
	uint64_t *slot = find_slot(set, id);

	if (*slot == id)
		return false;
	if (!id_set_is_full(set)) {
		__atomic_store_n(slot, id, __ATOMIC_RELAXED);
		set->nr++;
	}
	return true;
}

void id_set_clear(struct id_set *set)
{
	if (set->nr)
		memset(set->slots, 0, (set->mask + 1) * sizeof(*set->slots));
	set->nr = 0;
}
