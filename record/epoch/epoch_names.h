/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts in an epoch beyond frames and counts, which only the host knows. */
#ifndef RECORD_EPOCH_EPOCH_NAMES_H
#define RECORD_EPOCH_EPOCH_NAMES_H

#include "record/epoch/epoch_sources.h"
#include "record/epoch/epoch_tables.h"

/*
 * Adds the facts of /proc about the process in @space to the epoch's process @id. If the process
 * has gone, takes the facts that were known soon after its beginning or its first sample, and those
 * that its mappings and its exec told. Returns 0 or -ENOMEM.
 */
int epoch_names_process(struct epoch_tables *tables, const struct epoch_sources *sources,
			const struct address_space *space, uint32_t id);

/* Adds the symbols of all frames in objects with @vdso's build-id. Returns 0 or -ENOMEM. */
int epoch_names_vdso(struct epoch_tables *tables, const struct vdso *vdso);

/*
 * Adds the names of all frames in objects of kind PROF_OBJECT_JIT, as the maps of their processes
 * have them. Maps that cannot be read any more are passed over. Returns 0 or -ENOMEM.
 */
int epoch_names_jit(struct epoch_tables *tables, struct jit *jit);

#endif
