// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/space_room.h"

#include <errno.h>

#include "bpf/walk/unwind.h"
#include "common/minmax.h"
#include "record/shares/owner_ids.h"

/* Room for users other than root who have at most LITTLE mappings. */
#define RESERVE (UNWIND_MAX_MAPPINGS / 8)
#define LITTLE  (RESERVE / 8)

/* Mappings of one process. Code in further mappings is left along frame pointers. */
#define MAPPINGS_MAX 4096

/*
 * Of the room that is left, and of what its user has less than another, a process may take this
 * part: 1 / this. It may always have some.
 */
#define MAPPINGS_SHARE 14
#define MAPPINGS_MIN   64

/* Processes that were added by the program, and that the recorder does not know yet. */
#define UNKNOWN_PROCESSES (UNWIND_MAX_SPACES / 16)

int space_room_init(struct space_room *r)
{
	*r = (struct space_room){
		.mappings.size = UNWIND_MAX_MAPPINGS - RESERVE,
		.processes.size = UNWIND_MAX_SPACES - UNKNOWN_PROCESSES,
	};
	return extents_give(&r->free, 0, UNWIND_MAX_MAPPINGS);
}

/* Mappings of user @uid, with those that were left and are not free yet. */
static uint64_t nr_held(const struct space_room *r, uint32_t uid)
{
	uint64_t nr = shares_held(&r->mappings, uid);

	vec_for_each(&r->left, left)
		if (owner_id(left->uid) == owner_id(uid))
			nr += left->extent.nr;
	return nr;
}

uint32_t space_room_max(const struct space_room *r, uint32_t uid)
{
	uint64_t most = shares_most_held(&r->mappings), held = nr_held(r, uid);
	uint64_t room = r->mappings.size - r->mappings.used;

	if (!uid)
		return MAPPINGS_MAX;
	if (most > held)
		room = max_u64(room, most - held);
	return min_u64(max_u64(room / MAPPINGS_SHARE, MAPPINGS_MIN), MAPPINGS_MAX);
}

bool space_room_is_plenty(const struct space_room *r, uint32_t nr)
{
	return r->mappings.used + nr <= r->mappings.size / 2;
}

int space_room_take(struct space_room *r, const struct room_user *user, uint32_t nr,
		    uint32_t *first, uint32_t *loser)
{
	int ret = shares_take(&r->mappings, user->item, user->uid, nr, user->use, loser);

	if (ret)
		return ret;
	if (user->uid && r->free.nr_free < RESERVE + nr && nr_held(r, user->uid) > LITTLE)
		ret = -ENOSPC;
	if (!ret)
		ret = extents_take(&r->free, nr, first);
	if (!ret)
		return 0;
	shares_give(&r->mappings, user->item);
	shares_note_lack(&r->mappings, user->uid);
	*loser = SHARES_NO_ITEM;
	return ret;
}

int space_room_leave(struct space_room *r, uint32_t uid, struct extent extent)
{
	return extent.nr ? vec_push(&r->left, ((struct left_room){extent, uid})) : 0;
}

bool space_room_is_short(const struct space_room *r)
{
	return r->free.nr_free < RESERVE / 2 && r->left.nr;
}

void space_room_settle(struct space_room *r)
{
	vec_for_each(&r->left, left)
		extents_give(&r->free, left->extent.first, left->extent.nr);
	vec_clear(&r->left);
	shares_age(&r->mappings);
	shares_age(&r->processes);
}

void space_room_deinit(struct space_room *r)
{
	extents_deinit(&r->free);
	vec_free(&r->left);
	shares_deinit(&r->mappings);
	shares_deinit(&r->processes);
}
