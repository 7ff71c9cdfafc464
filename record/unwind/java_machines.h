/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells the BPF program how to walk the code that HotSpot has made in a process. The looker reads
 * that from the process.
 */
#ifndef RECORD_UNWIND_JAVA_MACHINES_H
#define RECORD_UNWIND_JAVA_MACHINES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/vec.h"
#include "record/languages/java_machine.h"
#include "record/system/looker.h"

/* A process of Java. */
struct java_process {
	uint32_t pid;
	struct java_machine machine;
	struct java_layout layout;
};

/* All zero but the descriptor and the looker: there are none. */
struct java_machines {
	int map; /* of bpf/java_frames.h; the sampler's */
	struct looker *looker;
	VEC(struct java_process) processes;
};

/*
 * Reads the machine of @pid, whose library is @in with offset 0 of the file at @base, and tells the
 * program. Returns false if there is none, or none yet.
 */
bool java_machines_put(struct java_machines *machines, uint32_t pid, const struct interpreter *in,
		       uint64_t base);

/* The process, or NULL. Valid until the next put or remove. */
const struct java_process *java_machines_find(const struct java_machines *machines, uint32_t pid);

void java_machines_remove(struct java_machines *machines, uint32_t pid);

void java_machines_deinit(struct java_machines *machines);

#endif
