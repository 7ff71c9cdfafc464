/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The executable mappings of an address space over time: those that are in force, and those that
 * ended lately. Processes that share their memory have one of these in common.
 */
#ifndef RECORD_PROCESS_MAPPED_MEMORY_H
#define RECORD_PROCESS_MAPPED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "record/process/mapped_files.h"
#include "record/process/mappings.h"
#include "record/shares/memory_budget.h"

/*
 * Memories that have live mappings in common, since a fork copied them, until one of them changes.
 */
struct live_share {
	uint32_t nr_users;
	bool is_moved;  /* while files get new numbers: these mappings have theirs */
	size_t charged; /* bytes */
};

/*
 * The most live mappings of one memory. The kernel does not report mappings that go away, so they
 * add up. At this number the memory is emptied, and the next look at the process finds the mappings
 * that still exist.
 */
#define MAPPED_MEMORY_MAX 4096

struct mapped_memory {
	uint32_t nr_users;        /* address spaces */
	mapping_vec live;         /* sorted by start, do not overlap */
	struct live_share *share; /* who else has the memory of live; NULL: nobody */
	mapping_vec ended;        /* until the next forget */
	bool complete;            /* all its executable mappings are known */
	bool is_moved;            /* while files get new numbers: the ended mappings have theirs */
	uint64_t complete_ns;     /* since when; some that ended before may not be known */
	bool is_closed;           /* nothing is kept any more, since there is too much of it */
	struct memory_budget *budget; /* NULL: nobody counts */
	size_t charged;               /* bytes */
};

/* The effect of mremap: the mappings of one range of addresses go to another. */
struct mapped_move {
	uint64_t time_ns;
	uint64_t old_addr, old_size;
	uint64_t new_addr, new_size;
	bool keeps_old; /* the old range stays mapped, too */
};

/*
 * Makes an empty memory with one user, which charges its bytes to @budget (or NULL). Returns NULL
 * if there is no memory for it.
 */
struct mapped_memory *mapped_memory_create(struct memory_budget *budget);

/* One user less. The last one frees @memory, which may be NULL. */
void mapped_memory_release(struct mapped_memory *memory);

/* Gives @copy, which is new, the live mappings of @memory, as fork does. Returns 0 or -ENOMEM. */
int mapped_memory_copy(struct mapped_memory *memory, struct mapped_memory *copy);

/*
 * Adds a mapping with its times. Older mappings end where it overlaps them. If it is there already,
 * or @memory is closed, nothing changes. Returns 0 or -ENOMEM.
 */
int mapped_memory_map(struct mapped_memory *memory, const struct mapped_files *files,
		      const struct mapping *mapping);

/*
 * Moves mappings. If none is known where the moved code was, the code at the new place is not known
 * either, and @memory is no longer complete. Returns 0 or -ENOMEM.
 */
int mapped_memory_move(struct mapped_memory *memory, const struct mapped_files *files,
		       const struct mapped_move *move);

/* The mapping at @addr at @time_ns, or NULL. Valid until the next change. */
const struct mapping *mapped_memory_lookup(const struct mapped_memory *memory, uint64_t addr,
					   uint64_t time_ns);

/* Did a mapping end in (@from_ns, @to_ns]? */
bool mapped_memory_has_changed(const struct mapped_memory *memory, uint64_t from_ns,
			       uint64_t to_ns);

/* Forgets mappings that ended before @time_ns. */
void mapped_memory_forget(struct mapped_memory *memory, uint64_t time_ns);

/*
 * Lets go of all mappings. From now on @memory keeps none, until somebody opens it again. Returns
 * how many it had.
 */
size_t mapped_memory_close(struct mapped_memory *memory);
void mapped_memory_open(struct mapped_memory *memory);

/* The bytes that @memory and the paths of its mappings, which others may share, take. */
size_t mapped_memory_weight(const struct mapped_memory *memory, const struct mapped_files *files);

/* Sets @used of each file that is mapped. */
void mapped_memory_mark_files(const struct mapped_memory *memory, bool *used);

/* Gives the mappings the new numbers of their files, once until mapped_memory_end_move. */
void mapped_memory_move_files(struct mapped_memory *memory, const uint32_t *moved);
void mapped_memory_end_move(struct mapped_memory *memory);

#endif
