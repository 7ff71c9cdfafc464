/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an epoch tells beyond frames and counts, since only the host knows it. */
#ifndef RECORD_EPOCH_EPOCH_NAMES_H
#define RECORD_EPOCH_EPOCH_NAMES_H

#include "record/epoch/epoch_sources.h"
#include "record/epoch/epoch_tables.h"

/*
 * Adds what /proc says of the process in @space, as that of the epoch's process @id. If the process
 * has gone, adds what /proc said soon after it began, or what its mappings and exec told. Returns 0
 * or -ENOMEM.
 */
int epoch_names_process(struct epoch_tables *tables, const struct epoch_sources *sources,
			const struct address_space *space, uint32_t id);

/* Adds the symbols of all frames in objects with @vdso's build-id. Returns 0 or -ENOMEM. */
int epoch_names_vdso(struct epoch_tables *tables, const struct vdso *vdso);

/*
 * Adds the names of all frames in objects of kind PROF_OBJECT_JIT, as the maps of their processes
 * have them. Maps that cannot be read any more are passed over. Returns 0 or -ENOMEM.
 */
int epoch_names_jit(struct epoch_tables *tables, const struct jit *jit);

#endif
