/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Room of a ring buffer that the users of the host share. Nobody can take it back from a program
 * that has it, so a user other than root may have at most as much as is free. One user has half of
 * the room then, two users have a third each, and there is always some for another one.
 */
#ifndef BPF_OWNER_ROOM_H
#define BPF_OWNER_ROOM_H

#include <linux/types.h>

/* Users share a number if their ids end in the same bits. Root has number 0 alone. */
#define OWNER_ROOMS 256

struct owner_room {
	__u64 used; /* bytes; the recorder takes off what it has read */
	__u64 nr_refused;
	__u32 uid;         /* of the last refusal */
	__u32 has_several; /* users that were refused */
};

static inline __u32 owner_room_of(__u32 uid)
{
	const __u32 nr = uid % OWNER_ROOMS;

	return uid && !nr ? 1 : nr;
}

/* May the owner of @room have more, when @free is free? */
static inline int owner_room_is_open(const struct owner_room *room, __u32 nr, __u64 free)
{
	return !nr || room->used <= free;
}

/* Notes that @uid was refused. */
static inline void owner_room_refuse(struct owner_room *room, __u32 uid)
{
	if (room->nr_refused && room->uid != uid)
		room->has_several = 1;
	room->uid = uid;
	__sync_fetch_and_add(&room->nr_refused, 1);
}

#endif
