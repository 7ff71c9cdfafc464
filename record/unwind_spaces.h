/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the program that walks stacks by tables knows of processes: their mappings, each with the
 * place of its table. Programs look while they change: a process gets new room when its mappings
 * change, and old room is used again only when no program can look there any more.
 */
#ifndef RECORD_UNWIND_SPACES_H
#define RECORD_UNWIND_SPACES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/parse.h"
#include "record/address_spaces.h"
#include "record/unwind_tables.h"

/* The mappings of a process take room in powers of two, from this one on. */
#define UNWIND_ROOM_SHIFT 3
#define UNWIND_NR_ROOMS   10

struct unwind_process {
	uint32_t pid;             /* 0: this is free */
	uint32_t first, nr, room; /* in mappings */
	uint64_t image;
	uint64_t backoff_ns;
	uint32_t exec_pages; /* when the program asked; 0: not known */
};

struct unwind_spaces {
	struct unwind_tables *tables;
	VEC(struct unwind_process) processes;
	u32_vec outlived; /* main threads that have ended, while others go on */
	u32_vec free_processes;
	struct index by_pid;
	size_t nr_indexed;
	struct unwind_mapping *mappings; /* as they are in the kernel's map */
	uint32_t *mapping_tables;        /* whose table each wants */
	uint32_t nr_mappings;
	u32_vec free_rooms[UNWIND_NR_ROOMS];
	u32_vec retired[UNWIND_NR_ROOMS]; /* free from the next settle on */
	/* Of the process that is being put: */
	VEC(struct unwind_mapping) list;
	u32_vec list_tables;
	u32_vec list_keys;
};

/* @tables must outlive it. Returns 0 or -ENOMEM; the deinit is due in any case. */
int unwind_spaces_init(struct unwind_spaces *spaces, struct unwind_tables *tables);

/* The process, or NULL. */
struct unwind_process *unwind_spaces_find(const struct unwind_spaces *spaces, uint32_t pid);

/*
 * Tells the program what @space, of @from, maps; @image is what the program calls it, or 0, and
 * @exec_pages what it said of it when it asked, or 0. Leaves the tables of its mappings in
 * list_tables. Returns 0 or -ENOMEM; a process for which there is no room is left along frame
 * pointers.
 */
int unwind_spaces_put(struct unwind_spaces *spaces, const struct address_spaces *from,
		      const struct address_space *space, uint64_t image, uint32_t exec_pages);

/* Tells the program that the mappings of @pid cannot be had, for some time, if it knows @pid. */
void unwind_spaces_hide(struct unwind_spaces *spaces, uint32_t pid, uint64_t image);

/* Has the process anything at the mapping's place that is not of @table? */
bool unwind_spaces_differ(const struct unwind_spaces *spaces, uint32_t pid,
			  const struct mapping *mapping, uint32_t table);

/*
 * What the process, if it is @image, has at @pc. Returns 1, 0 when nothing is there, or -EAGAIN
 * when its mappings are not known.
 */
int unwind_spaces_lookup(const struct unwind_spaces *spaces, uint32_t pid, uint64_t image,
			 uint64_t pc, struct unwind_mapping *mapping);

void unwind_spaces_remove(struct unwind_spaces *spaces, uint32_t pid);

/* The main thread of @pid has ended: removes it when the others have. */
int unwind_spaces_exited(struct unwind_spaces *spaces, uint32_t pid);

/* Removes all that have gone without anybody's saying so. Returns 0 or -ENOMEM. */
int unwind_spaces_sweep(struct unwind_spaces *spaces);

/* The state of a table has changed: tells all mappings of it. */
void unwind_spaces_table_changed(struct unwind_spaces *spaces, uint32_t table);

/* After a grace period: what was left before it may be used again. Returns 0 or -ENOMEM. */
int unwind_spaces_settle(struct unwind_spaces *spaces);

void unwind_spaces_deinit(struct unwind_spaces *spaces);

#endif
