/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The address spaces of all processes over time. An address space begins with a fork or an exec
 * and ends with the next exec or the exit; it holds the executable mappings with the span of time
 * in which each was in force. Samples are resolved after the fact, by the time they were taken, so
 * what has ended is kept until no sample can refer to it any more.
 */
#ifndef RECORD_PROCESS_ADDRESS_SPACES_H
#define RECORD_PROCESS_ADDRESS_SPACES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/index.h"
#include "common/vec.h"
#include "record/process/mapped_files.h"
#include "record/process/mappings.h"

struct address_space {
	uint32_t pid;
	uint64_t generation; /* unique in the recording */
	uint64_t begin_ns;
	uint64_t exited_ns;          /* 0: has not */
	struct address_space *older; /* the one that had this pid before */
	mapping_vec live;            /* sorted by start, do not overlap */
	mapping_vec ended;           /* until the next forget */
	bool complete;               /* all its executable mappings are known */
	bool doubtful;               /* its exit may have been missed */
	char name[16];               /* of the main thread, as of the exec; "": not known */
};

struct address_spaces {
	struct mapped_files files;
	VEC(struct address_space *) newest; /* of each pid */
	struct index by_pid;
	uint64_t next_generation;
	size_t nr_exited;
	size_t nr_ended; /* mappings and address spaces that ended since the last forget */
};

/*
 * Adds a mapping to what @pid maps at @time_ns; older mappings end where it overlaps them. One that
 * is there already stays as it is.
 */
int address_spaces_map(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns,
		       const struct mapping *mapping);

/* All that @pid maps at @time_ns has been added: its address space is complete. 0 or -ENOMEM. */
int address_spaces_trust(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns);

/* The process starts a new, empty address space. */
int address_spaces_exec(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns);

/* The main thread of @pid is called @name, which may be cut, from an exec at @time_ns on. */
void address_spaces_name(struct address_spaces *spaces, uint32_t pid, const char *name,
			 uint64_t time_ns);

/* The new process @pid begins with a copy of @parent's mappings. */
int address_spaces_fork(struct address_spaces *spaces, uint32_t pid, uint32_t parent,
			uint64_t time_ns);

/* Records were dropped: no address space that there is now can be taken for complete. */
void address_spaces_distrust(struct address_spaces *spaces);

void address_spaces_exit(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns);

/*
 * The address space that @pid had at @time_ns, or its oldest one. NULL when nothing is known of the
 * process. Valid until the next forget.
 */
struct address_space *address_spaces_find(const struct address_spaces *spaces, uint32_t pid,
					  uint64_t time_ns);

/* Is the address space of @pid with the number @generation still there? */
bool address_spaces_has(const struct address_spaces *spaces, uint32_t pid, uint64_t generation);

/* Like find, but adds an empty address space where there is none. Returns 0 or -ENOMEM. */
int address_spaces_get(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns,
		       struct address_space **space);

/* The mapping at @addr at @time_ns, or NULL. Valid until the next change. */
const struct mapping *address_space_lookup(const struct address_space *space, uint64_t addr,
					   uint64_t time_ns);

/*
 * The path of what is executed, as its mappings tell: the file that was mapped first. NULL when
 * none is known of. Valid until the next change.
 */
const char *address_space_exe(const struct address_spaces *spaces,
			      const struct address_space *space);

/*
 * The latest time in (@from_ns, @to_ns] at which a mapping of @space ended, or 0 when none did:
 * addresses seen over all of that time may mean two things.
 */
uint64_t address_space_changed(const struct address_space *space, uint64_t from_ns, uint64_t to_ns);

/*
 * Forgets what ended before @time_ns: mappings, and processes that exited, for which @is_gone says
 * that no thread is left (a process whose main thread exited may go on). Files that nothing maps
 * any more go, too. Returns 0 or -ENOMEM.
 */
int address_spaces_forget(struct address_spaces *spaces, uint64_t time_ns,
			  bool (*is_gone)(uint32_t pid));

void address_spaces_deinit(struct address_spaces *spaces);

#endif
