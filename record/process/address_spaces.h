/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The address spaces of all processes over time. An address space begins with a fork or an exec,
 * and ends with the next exec or the exit. It holds the executable mappings, with the span of time
 * in which each was in force. Samples are resolved later, by their times. So mappings and spaces
 * that have ended are kept until no sample can refer to them any more.
 */
#ifndef RECORD_PROCESS_ADDRESS_SPACES_H
#define RECORD_PROCESS_ADDRESS_SPACES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/index.h"
#include "common/vec.h"
#include "record/process/mapped_files.h"
#include "record/process/mapped_memory.h"
#include "record/process/mappings.h"

struct address_space {
	uint32_t pid;
	uint32_t ancestors[FILE_PLACE_ANCESTORS]; /* as in struct file_place */
	uint64_t generation;                      /* unique in the recording */
	uint64_t begin_ns;
	uint64_t exited_ns;           /* 0: has not */
	struct address_space *older;  /* the earlier space of this pid */
	struct mapped_memory *memory; /* its mappings; processes may share it */
	bool doubtful;                /* its exit may have been missed */
	bool is_gone;                 /* the last forget met nobody any more */
	uint64_t next_look_ns;        /* CLOCK_MONOTONIC: nobody looks at it in /proc before */
	char name[16];                /* of the main thread, as of the exec; "": not known */
};

struct address_spaces {
	struct mapped_files files;
	VEC(struct address_space *) newest; /* of each pid */
	struct index by_pid;
	uint64_t next_generation;
	size_t nr_exited;
	size_t nr_ended;     /* mappings and address spaces that ended since the last forget */
	bool has_many_ended; /* one memory has so many that each look-up takes long */
	struct memory_budget *memory; /* NULL: nobody counts */
	bool is_full; /* the budget is in use: no more mappings are kept until the next forget */
	uint64_t nr_left_out; /* mappings that were not kept, or not any more */
};

/* Charges all memory to @budget, which must outlive @spaces. Call it first. */
void address_spaces_limit(struct address_spaces *spaces, struct memory_budget *budget);

/*
 * Makes room if memory is short: the processes with most mappings and paths lose theirs. Files may
 * get new numbers. Returns 0 or -ENOMEM.
 */
int address_spaces_make_room(struct address_spaces *spaces);

/*
 * Is a new mapping of @pid not to be kept, for lack of memory? Then it is counted, and the process
 * loses its other mappings, since nobody knows any more which of them hold.
 */
bool address_spaces_refuse(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns);

/*
 * Adds a mapping of @pid, from @time_ns on. Older mappings end where it overlaps them. If it is
 * there already, nothing changes.
 */
int address_spaces_map(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns,
		       const struct mapping *mapping);

/*
 * All mappings of @pid at @time_ns have been added: its address space is complete. Returns 0 or
 * -ENOMEM.
 */
int address_spaces_trust(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns);

/* The process starts a new, empty address space. */
int address_spaces_exec(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns);

/* From an exec at @time_ns on, the main thread of @pid is called @name, which may be cut. */
void address_spaces_name(struct address_spaces *spaces, uint32_t pid, const char *name,
			 uint64_t time_ns);

/* The new process @pid begins with a copy of @parent's mappings. */
int address_spaces_fork(struct address_spaces *spaces, uint32_t pid, uint32_t parent,
			uint64_t time_ns);

/*
 * The new process @pid has no copy of @parent's memory: both have one memory until one of them
 * calls exec. Call it after address_spaces_fork.
 */
void address_spaces_share(struct address_spaces *spaces, uint32_t pid, uint32_t parent,
			  uint64_t time_ns);

/* @pid moves mappings: see mapped_memory_move. Returns 0 or -ENOMEM. */
int address_spaces_move(struct address_spaces *spaces, uint32_t pid,
			const struct mapped_move *move);

/* Records were dropped: no present address space counts as complete any more. */
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
 * Does the process run code that it has made itself? Then one of its @files may be a machine that
 * knows the frames of that code.
 */
bool address_space_has_made_code(const struct address_space *space,
				 const struct mapped_files *files);

/* Where @space has @mapping now. */
struct file_place address_space_place(const struct address_space *space,
				      const struct mapping *mapping);

/*
 * The path of the executable, as the mappings tell: the file that was mapped first. NULL when there
 * is none. Valid until the next change.
 */
const char *address_space_exe(const struct address_spaces *spaces,
			      const struct address_space *space);

/*
 * Did a mapping of @space end in (@from_ns, @to_ns]? Then addresses that were seen over all of that
 * time may have several meanings.
 */
bool address_space_has_changed(const struct address_space *space, uint64_t from_ns, uint64_t to_ns);

/*
 * Forgets mappings that ended before @time_ns, and processes that exited before. A process may go
 * on when its main thread has exited, so @is_gone must say that no thread is left. It must have
 * said so of an earlier call, too: samples from between @time_ns and now come before the next one.
 * Linux 6.18, for one, tells of an exit first and takes the memory apart then, which may take long.
 * Forgets files that nobody maps any more, too. Returns 0 or -ENOMEM.
 */
int address_spaces_forget(struct address_spaces *spaces, uint64_t time_ns,
			  bool (*is_gone)(uint32_t pid));

void address_spaces_deinit(struct address_spaces *spaces);

#endif
