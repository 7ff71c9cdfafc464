/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about processes that a drain may find gone. /proc tells them only while a process lives, so
 * the recorder looks at a process soon after its first sample, or after it began where no program
 * tells of samples. Before that look, and if it comes too late, the facts are those that the
 * program took with the first sample. They are kept as long as the address space.
 */
#ifndef RECORD_PROCESS_NEW_PROCESSES_H
#define RECORD_PROCESS_NEW_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/shared.h"
#include "common/index.h"
#include "common/vec.h"
#include "record/looks/proc_info.h"
#include "record/process/address_spaces.h"
#include "record/looks/cgroup_paths.h"
#include "record/looks/container_names.h"
#include "record/shares/memory_budget.h"

struct new_process {
	uint32_t pid;
	uint64_t generation;      /* of its address space */
	uint64_t cgroup;          /* its id, as the program told; 0: not known */
	uint64_t context;         /* address of what process_context_read found; 0: nothing */
	unsigned int nr_searches; /* for its context */
	bool has_environment;     /* it was read; attributes that it has are in info */
	struct proc_info info;
};

/*
 * May @pid have another address space by now, because of a fork, an exec or an exit that is not yet
 * known? Then what /proc says of @pid may belong to that.
 */
typedef bool has_changed_fn(void *ctx, uint32_t pid);

/* All zero: none. */
struct new_processes {
	VEC(struct told_process) told;   /* whose address spaces are not known yet */
	VEC(struct new_process) waiting; /* not looked at yet: without info */
	VEC(struct new_process) known;
	struct cgroup_paths cgroups;
	struct container_names containers;
	struct index by_generation; /* of those that are known */
	bool reads_environment;     /* of processes that publish no context */
	bool are_told; /* of each with a sample, the program tells all that a look would */
	has_changed_fn *has_changed;  /* NULL: nobody tells */
	void *ctx;                    /* of has_changed */
	struct memory_budget *memory; /* pays for those that are known; NULL: nobody counts */
	uint64_t nr_left_out;         /* processes without an answer, since memory was short */
};

/* Notes an address space, to look at its process. Returns 0 or -ENOMEM. */
int new_processes_add(struct new_processes *new_processes, const struct address_space *space);

/*
 * The same for an address space that has just begun. Where processes with samples are told of, it
 * waits for that: a host may begin thousands of processes a second. Returns 0 or -ENOMEM.
 */
int new_processes_begin(struct new_processes *new_processes, const struct address_space *space);

/* Notes what the program told of a sampled process. Returns 0 or -ENOMEM. */
int new_processes_tell(struct new_processes *new_processes, const struct told_process *told);

/*
 * Takes what was told up to @until_ns, when @spaces has all changes of that time. Then looks at the
 * waiting processes, unless memory is short, that still have the address space with which they were
 * noted. Returns 0 or -ENOMEM.
 */
int new_processes_read(struct new_processes *new_processes, struct address_spaces *spaces,
		       uint64_t until_ns);

/*
 * Reads in /proc what there is of @space, the newest of its process, into @info, whose memory is
 * used again. With that goes the context that the process publishes, or if it has none, what its
 * environment names, unless that is known already. Everything is unknown if the
 * process has ended, or may have another address space meanwhile. Returns 0 or -ENOMEM.
 */
int new_processes_look(struct new_processes *new_processes, const struct address_spaces *spaces,
		       const struct address_space *space, struct proc_info *info);

/* The answer for @space, or NULL when there is none. Valid until the next read or forget. */
const struct proc_info *new_processes_find(const struct new_processes *new_processes,
					   const struct address_space *space);

/* Forgets the answers whose address spaces are gone from @spaces. Returns 0 or -ENOMEM. */
int new_processes_forget(struct new_processes *new_processes, const struct address_spaces *spaces);

void new_processes_deinit(struct new_processes *new_processes);

#endif
