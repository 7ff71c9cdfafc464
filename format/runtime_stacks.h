/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many stacks of each runtime without support are not complete, and what the user can do about
 * that. Machine code of such a runtime has no unwind table, or stacks of its own, and walks end in
 * it. The recorder says so when it ends, and the reporter from any recording, in the same words.
 */
#ifndef FORMAT_RUNTIME_STACKS_H
#define FORMAT_RUNTIME_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "format/prof.h"

/* A recording of a fleet has a few runtimes; others beyond these are not counted. */
#define RUNTIME_STACKS_MAX 16

/* The user stacks of processes that have the runtime. */
struct runtime_stacks {
	char name[64]; /* as of prof_language.version, cut */
	uint64_t all, incomplete;
};

/* All zero: empty. */
struct runtimes_stacks {
	struct runtime_stacks of[RUNTIME_STACKS_MAX];
	size_t nr;
};

/* Adds @count for a user stack that ended with @end, of a process with the runtime @name. */
void runtimes_stacks_add(struct runtimes_stacks *sums, const char *name, enum prof_stack_end end,
			 uint64_t count);

/* The runtime that processes of the executable @exe, a path, have; NULL: none is known by that. */
const char *runtime_of_executable(const char *exe);

/*
 * Adds the user stacks of @epoch. A process has the runtime of a sampled file that it maps, or else
 * of its executable. Returns 0 or -ENOMEM.
 */
int runtimes_stacks_add_epoch(struct runtimes_stacks *sums, const struct prof_epoch *epoch);

/* What completes stacks of the runtime @name or names its functions; NULL: nothing is known. */
const char *runtime_help(const char *name);

#endif
