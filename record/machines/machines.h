/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machines of processes (machine_kinds.h). Tells the BPF program how to walk the code that each
 * has made. The looker reads that from the process.
 *
 * Users share the room in the program's maps (record/shares/shares.h).
 */
#ifndef RECORD_MACHINES_MACHINES_H
#define RECORD_MACHINES_MACHINES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/vec.h"
#include "bpf/languages/languages.h"
#include "record/machines/machine_kinds.h"
#include "record/looks/looker.h"
#include "record/shares/shares.h"

/* A process, its interpreter, and the place of offset 0 of the interpreter's file. */
struct machine_owner {
	uint32_t pid;
	uint32_t item; /* a number of the process, in the shares */
	uint32_t uid;
	uint64_t use;                          /* samples, at least 1 */
	const struct interpreter *interpreter; /* NULL: it has none */
	struct machine_notes *notes;           /* of the interpreter's file; NULL with that */
	uint64_t base;
};

/* What looks have found in the processes of a file. */
struct machine_notes {
	bool has_known;   /* a machine whose functions are found */
	bool has_strange; /* one whose functions nobody finds */
};

/* All zero but the descriptors, the looker, the size of the shares and lost: there are none. */
struct machines {
	int maps[NR_MACHINE_KINDS]; /* of bpf/made/; the sampler's */
	struct looker *looker;
	VEC(struct machine) processes;
	struct shares shares;
	/* Called for a process that has to make room: it has to call machines_remove. */
	void (*lost)(void *ctx, uint32_t item);
	void *ctx;
	/*
	 * Called for each process whose machine has been read, and for each new list of registered
	 * code (record/unwind/registered_spaces.h); or NULL.
	 */
	void (*found)(void *ctx, uint32_t pid);
	void *found_ctx;
};

/*
 * Reads the machine of @owner, and tells the program. Returns 0; -EAGAIN if it has not begun yet;
 * -ENOTSUP if it is another one than those that are known, or if its library is being loaded;
 * -ENOSPC if there is no room; or another negative errno.
 */
int machines_put(struct machines *machines, const struct machine_owner *owner);

/* The machine of @pid if it is of @kind, else NULL. Valid until the next put or remove. */
const struct machine *machines_find(const struct machines *machines, uint32_t pid, uint32_t kind);

/*
 * Has the code described that the machine of @pid has made besides functions, as in a perf map.
 * Returns a descriptor, which is the caller's, or a negative errno: -ENOENT if there is nothing to
 * describe.
 */
int machines_describe(const struct machines *machines, uint32_t pid);

void machines_remove(struct machines *machines, uint32_t pid);

void machines_deinit(struct machines *machines);

#endif
