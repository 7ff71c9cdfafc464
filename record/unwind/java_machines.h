/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells the BPF program how to walk the code that HotSpot has made in a process. The looker reads
 * that from the process. BEAM, the machine of Erlang, is told in the same way.
 */
#ifndef RECORD_UNWIND_JAVA_MACHINES_H
#define RECORD_UNWIND_JAVA_MACHINES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/vec.h"
#include "record/languages/beam_machine.h"
#include "record/languages/java_machine.h"
#include "record/system/looker.h"

/* A process of Java. */
struct java_process {
	uint32_t pid;
	struct java_machine machine;
	struct java_layout layout;
};

/* A process of Erlang. */
struct beam_process {
	uint32_t pid;
	struct beam_machine machine;
	struct beam_tables tables;
};

/* All zero but the descriptors and the looker: there are none. */
struct java_machines {
	int map;      /* of bpf/java_frames.h; the sampler's */
	int beam_map; /* of bpf/beam_frames.h; as well */
	struct looker *looker;
	VEC(struct java_process) processes;
	VEC(struct beam_process) beam_processes;
};

/* Has an interpreter of @language a machine? */
static inline bool java_machines_are_of(uint32_t language)
{
	return language == LANGUAGE_JAVA || language == LANGUAGE_BEAM;
}

/*
 * Reads the machine of @pid, whose library or program is @in with offset 0 of the file at @base,
 * and tells the program. Returns 0; -EAGAIN if it has not begun yet; -ENOTSUP if it is another one
 * than those that are known, or if its library is being loaded; or another negative errno.
 */
int java_machines_put(struct java_machines *machines, uint32_t pid, const struct interpreter *in,
		      uint64_t base);

/* The process, or NULL. Valid until the next put or remove. */
const struct java_process *java_machines_find(const struct java_machines *machines, uint32_t pid);
const struct beam_process *java_machines_find_beam(const struct java_machines *machines,
						   uint32_t pid);

void java_machines_remove(struct java_machines *machines, uint32_t pid);

void java_machines_deinit(struct java_machines *machines);

#endif
