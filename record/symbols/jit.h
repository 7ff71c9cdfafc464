/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that processes made for themselves, and the maps that they write of it. A map is in /tmp of
 * the process's own root. The recorder can reach it only while the process lives, or through a
 * descriptor that it opened while the process lived. So it has that directory held for every
 * process that maps memory to run its own code from. When the process ends, the map is held
 * instead. The looker holds both, since their files are others' (record/looks/looker.h).
 *
 * Users share what is held (record/shares/shares.h). A process for which nothing is held has names
 * as long as it lives. Users also have shares of the CPU time for reading maps.
 */
#ifndef RECORD_SYMBOLS_JIT_H
#define RECORD_SYMBOLS_JIT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/index.h"
#include "common/vec.h"
#include "record/process/address_spaces.h"
#include "record/looks/cpu_share.h"
#include "record/looks/looker.h"
#include "record/shares/owner_time.h"
#include "record/shares/shares.h"

/* A process that has or may have a map. */
struct jit_process {
	uint32_t pid;
	uint64_t generation;
	uint32_t ns_pid;            /* the map's name, in its own root */
	uint32_t uid;               /* may own the map */
	uint64_t since_realtime_ns; /* its start or exec; an older map is not its; 0: not known */
	uint32_t item;              /* in the shares */
	/* Names of descriptors that the looker holds; 0: none. */
	uint64_t dir; /* /tmp in its root */
	uint64_t map; /* the map, once the process has ended */
	uint64_t
		until_realtime_ns; /* its exec: a map written later is the next program's; 0: any */
	int described; /* 1 + a descriptor of what the looker has told of its code; 0: none */
	uint32_t described_item; /* in the shares of these */
	bool is_early;           /* it may have made more since, or has not answered */
	bool ended;
	bool checked; /* has_map was looked up since the last forget */
	bool has_map;
	bool is_hit; /* samples since the last reset have frames in its code */
};

struct jit {
	VEC(struct jit_process) processes;
	struct index by_generation;
	struct looker *looker; /* borrowed; NULL: opens files itself, and may block */
	struct shares held;    /* of the descriptors in the looker, by users of processes */
	uint64_t nr_epochs;    /* that got names */
	/* CPU time for reading maps: of root's processes and of all others, and of each user. */
	struct cpu_share reading[2];
	struct owner_time times;
	/*
	 * Describes the code of a process without a map, as a map. Returns a descriptor or less.
	 * *@is_whole: there is no more of it before the next jit_describe.
	 */
	int (*describe)(const void *ctx, uint32_t pid, bool *is_whole);
	const void *ctx;
	struct shares described; /* of these descriptors, by users of processes */
	struct shares unread;    /* how often a map was not read, or not to the end, by users */
};

/* @looker must outlive it, or is NULL. */
void jit_init(struct jit *jit, struct looker *looker);
void jit_deinit(struct jit *jit);

/*
 * The process maps executable memory that is no file. Holds the directory that will have its map. A
 * process that is watched already stays as it is. Returns 0 or -ENOMEM.
 */
int jit_watch(struct jit *jit, const struct address_space *space);

/* Watches all processes of @spaces that map such memory. Returns 0 or -ENOMEM. */
int jit_watch_all(struct jit *jit, const struct address_spaces *spaces);

/*
 * @child was forked: watches it if @parent is watched. @parent may be NULL. Returns 0 or -ENOMEM.
 */
int jit_fork(struct jit *jit, const struct address_space *parent,
	     const struct address_space *child);

/*
 * The process ends, or its exec at @exec_realtime_ns (0: no exec) removes its code: holds the map.
 * A map that somebody writes after the exec has lines of other code. @space may be NULL.
 */
void jit_end(struct jit *jit, const struct address_space *space, uint64_t exec_realtime_ns);

/*
 * Is there a map for the code that runs in @space? The answer does not change until the next
 * forget. If there is one, the process is kept until the next reset.
 */
bool jit_has_map(struct jit *jit, const struct address_space *space);

/*
 * The machine of the process has begun, or it has registered other code than before: has its code
 * described, in case it ends soon.
 */
void jit_describe(struct jit *jit, const struct address_space *space);

/* Is that a map of what the looker has told, and no file? */
bool jit_is_described(const struct jit *jit, const struct address_space *space);

/*
 * Copies the map of the process whose address space has the number @generation, if it has at most
 * @max_bytes. Returns a descriptor of the copy, which is the caller's, or a negative errno: -ENOENT
 * when no such process is watched, -EFBIG, -ESTALE when the map was written after the process's
 * exec.
 */
int jit_open_map(const struct jit *jit, uint64_t generation, uint64_t max_bytes);

/* The user whose process has the number @generation. Returns false if it is not watched. */
bool jit_find_owner(const struct jit *jit, uint64_t generation, uint32_t *uid);

/*
 * Begins to read a map of @uid. Returns false if there is no CPU time left for that, which is
 * noted.
 */
bool jit_begin_reading(struct jit *jit, uint32_t uid);
void jit_end_reading(struct jit *jit, uint32_t uid);

/* A map of @uid was not read, or not to the end. */
void jit_note_unread(struct jit *jit, uint32_t uid);

/* The names have been looked up: the processes that were hit need no map any more. */
void jit_reset(struct jit *jit);

/*
 * Lets go of processes that are not in @spaces any more and were not hit since the last reset.
 * Returns 0 or -ENOMEM.
 */
int jit_forget(struct jit *jit, const struct address_spaces *spaces);

#endif
