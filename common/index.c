// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Slots of the first table; a power of two. */
#define FIRST_SLOTS 64

static void place_slot(struct index_slot *slots, size_t mask, size_t pos, struct index_slot slot)
{
	while (slots[pos & mask].elem != INDEX_NONE)
		pos++;
	slots[pos & mask] = slot;
}

static int grow_slots(struct index *ix)
{
	size_t nr_slots = ix->slots ? (ix->mask + 1) * 2 : FIRST_SLOTS;
	struct index_slot *slots = reallocarray(NULL, nr_slots, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	memset(slots, 0xff, nr_slots * sizeof(*slots));
	for (size_t i = 0; ix->slots && i <= ix->mask; i++)
		if (ix->slots[i].elem != INDEX_NONE)
			place_slot(slots, nr_slots - 1, ix->slots[i].tag, ix->slots[i]);
	free(ix->slots);
	ix->slots = slots;
	ix->mask = nr_slots - 1;
	return 0;
}

int index_insert(struct index *ix, uint64_t hash, uint32_t elem)
{
	struct index_slot slot = {.elem = elem, .tag = hash >> 32};

	/* The table is at most three quarters full. */
	if (!ix->slots || (ix->nr + 1) * 4 > (ix->mask + 1) * 3) {
		int ret = grow_slots(ix);

		if (ret)
			return ret;
	}
	place_slot(ix->slots, ix->mask, slot.tag, slot);
	ix->nr++;
	return 0;
}

void index_replace(struct index *ix, uint64_t hash, uint32_t known, uint32_t elem)
{
	size_t pos = hash >> 32;

	while (ix->slots[pos & ix->mask].elem != known)
		pos++;
	ix->slots[pos & ix->mask].elem = elem;
}

void index_clear(struct index *ix)
{
	if (ix->slots)
		memset(ix->slots, 0xff, (ix->mask + 1) * sizeof(*ix->slots));
	ix->nr = 0;
}

void index_deinit(struct index *ix)
{
	free(ix->slots);
	*ix = (struct index){0};
}
