/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machines of processes (machine_kinds.h). Tells the BPF program how to walk the code that each
 * has made. The looker reads that from the process.
 */
#ifndef RECORD_MACHINES_MACHINES_H
#define RECORD_MACHINES_MACHINES_H

#include <stdint.h>

#include "common/vec.h"
#include "record/machines/machine_kinds.h"
#include "record/system/looker.h"

/* All zero but the descriptors and the looker: there are none. */
struct machines {
	int maps[NR_MACHINE_KINDS]; /* of bpf/made/; the sampler's */
	struct looker *looker;
	VEC(struct machine) processes;
};

/*
 * Reads the machine of @pid, whose library or program is @in with offset 0 of the file at @base,
 * and tells the program. Returns 0; -EAGAIN if it has not begun yet; -ENOTSUP if it is another one
 * than those that are known, or if its library is being loaded; or another negative errno.
 */
int machines_put(struct machines *machines, uint32_t pid, const struct interpreter *in,
		 uint64_t base);

/* The machine of @pid if it is of @kind, else NULL. Valid until the next put or remove. */
const struct machine *machines_find(const struct machines *machines, uint32_t pid, uint32_t kind);

void machines_remove(struct machines *machines, uint32_t pid);

void machines_deinit(struct machines *machines);

#endif
