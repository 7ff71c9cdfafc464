/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that came too late for the epoch that needed them. A symbol of a file with a build-id holds
 * for all epochs of a recording, so a later one can bring it, even one without samples.
 */
#ifndef RECORD_EPOCH_OWED_NAMES_H
#define RECORD_EPOCH_OWED_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "common/vec.h"
#include "format/prof.h"
#include "record/epoch/epoch_tables.h"
#include "record/looks/file_identity.h"

/* An object that lacks names. */
struct owed_object {
	struct prof_object object; /* but for its path */
	char *path;
	struct file_identity identity; /* as epoch_tables_set_file takes it */
	uint32_t named;                /* as in epoch_tables */
	u64_vec offsets;               /* ascending, at which it lacks them */
};

/* All zero: nothing is owed. */
struct owed_names {
	VEC(struct owed_object) objects;
	size_t nr_offsets; /* of all of them */
};

/*
 * The name at offset @off of object @id of @tables is owed. The offsets of an object come in
 * ascending order. Returns 0, -ENOMEM, or -ENOSPC when too many are owed already.
 */
int owed_names_add(struct owed_names *owed, const struct epoch_tables *tables, uint32_t id,
		   uint64_t off);

/*
 * Finds or adds @object in @tables. *@id is its number. Returns 0, -ENOMEM, or -EEXIST when another
 * file has its place in this epoch.
 */
int owed_object_put(const struct owed_object *object, struct epoch_tables *tables, uint32_t *id);

/* Afterwards nothing is owed. */
void owed_names_deinit(struct owed_names *owed);

#endif
