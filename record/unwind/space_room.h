/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who has room for mappings in the program's maps. Users share it (record/shares/shares.h). A
 * program may still read room that a process has left, so it is free only from the next settle on.
 * A part of the room is for users who have little, so that they need not wait for that when others
 * have all the rest.
 */
#ifndef RECORD_UNWIND_SPACE_ROOM_H
#define RECORD_UNWIND_SPACE_ROOM_H

#include <stdbool.h>
#include <stdint.h>

#include "common/vec.h"
#include "record/shares/shares.h"
#include "record/unwind/extents.h"

/* A process that wants room. Its number is its item in the shares. */
struct room_user {
	uint32_t item, uid;
	uint64_t use; /* samples; 0: none was seen */
};

struct left_room {
	struct extent extent;
	uint32_t uid;
};

struct space_room {
	struct extents free;
	VEC(struct left_room) left; /* free from the next settle on */
	struct shares mappings;     /* what processes have, without what they have left */
	struct shares processes;    /* that the program knows */
};

/* Returns 0 or -ENOMEM; the deinit is due in any case. */
int space_room_init(struct space_room *room);

/* The most mappings that a process of user @uid may have now. */
uint32_t space_room_max(const struct space_room *room, uint32_t uid);

/* May a process without samples have room for @nr mappings? Others will come. */
bool space_room_is_plenty(const struct space_room *room, uint32_t nr);

/*
 * Takes room for @nr mappings from *@first on, for a process that has none. Returns 0; -ENOMEM; or
 * -ENOSPC. Then process *@loser has to leave its room, and the caller tries again. When that is
 * SHARES_NO_ITEM, there is no room.
 */
int space_room_take(struct space_room *room, const struct room_user *user, uint32_t nr,
		    uint32_t *first, uint32_t *loser);

/*
 * A process of user @uid has left @extent, which may have no mappings. Returns 0, or -ENOMEM: the
 * room is lost, and nothing else.
 */
int space_room_leave(struct space_room *room, uint32_t uid, struct extent extent);

/* Is the part for users who have little so used up that a settle should come soon? */
bool space_room_is_short(const struct space_room *room);

/* Call it after a grace period. */
void space_room_settle(struct space_room *room);

void space_room_deinit(struct space_room *room);

#endif
