/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Room of a ring buffer that the users of the host share. Nobody can take it back from a program
 * that has it, so a user other than root may have at most as much as is free. One user has half of
 * the room then, two users have a third each, and there is always some for another one.
 */
#ifndef BPF_OWNER_ROOM_H
#define BPF_OWNER_ROOM_H

#include <linux/types.h>

/* Users can share a number. Root has number 0 alone. */
#define OWNER_ROOMS 256

/*
 * A user to whom /etc/subuid gives ids can have processes and files of each of them, and would have
 * as many shares. So OWNER_IDS ids of a row, as many as a container needs and as useradd gives to
 * each user, count as one owner, by the first of them. Rows that follow one another, as useradd
 * makes them, are one range.
 */
#define OWNER_IDS        65536u
#define OWNER_RANGES_MAX 16

struct owner_range {
	__u32 first, nr; /* ids; nr 0: neither this range nor a later one is in use */
};

/* The id by which @uid counts, with @ranges, of which there are OWNER_RANGES_MAX. */
static inline __u32 owner_id_in(const volatile struct owner_range *ranges, __u32 uid)
{
	for (__u32 i = 0; i < OWNER_RANGES_MAX && ranges[i].nr; i++)
		if (uid - ranges[i].first < ranges[i].nr)
			return uid - (uid - ranges[i].first) % OWNER_IDS;
	return uid;
}

struct owner_room {
	__u64 used; /* bytes; the recorder takes off what it has read */
	__u64 nr_refused;
	__u32 uid;         /* by which the owner of the last refusal counts */
	__u32 has_several; /* users that were refused */
};

static inline __u32 owner_room_of(__u32 id)
{
	const __u32 nr = (id + id / OWNER_IDS) % OWNER_ROOMS;

	return id && !nr ? 1 : nr;
}

/* May the owner of @room have more, when @free is free? */
static inline int owner_room_is_open(const struct owner_room *room, __u32 nr, __u64 free)
{
	return !nr || room->used <= free;
}

/* Notes that the user who counts by @id was refused. */
static inline void owner_room_refuse(struct owner_room *room, __u32 id)
{
	if (room->nr_refused && room->uid != id)
		room->has_several = 1;
	room->uid = id;
	__sync_fetch_and_add(&room->nr_refused, 1);
}

#endif
