/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the processes of an epoch map which objects. It answers whether a mapping is there already,
 * and which instance of a file a distance has. A process may have any number of mappings, and any
 * number of distances for one file, so all answers come from indexes.
 */
#ifndef RECORD_EPOCH_PLACEMENTS_H
#define RECORD_EPOCH_PLACEMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/index.h"
#include "common/vec.h"
#include "record/epoch/epoch_tables.h"

struct placement {
	uint32_t process, object; /* of the epoch */
	uint64_t start, size;
	uint64_t distance; /* by which addresses exceed offsets in the object */
};

/* A file that a process maps: all objects that differ in the instance alone. */
struct placed_file {
	uint32_t process;
	uint32_t object;        /* one of them */
	uint32_t next_instance; /* above those of all of them */
};

/* All zero: none. */
struct placements {
	VEC(struct placement) placements;
	VEC(struct placed_file) files;
	struct index by_range, by_distance, by_file;
};

/*
 * The instance that @object, mapped by @process at @distance, has. Mappings of a file at one
 * distance share an instance. A new distance gets the next number that no other file of that path
 * has. @identity is that of the file; the instance in @object does not count.
 */
uint32_t placements_instance(const struct placements *p, const struct epoch_tables *tables,
			     uint32_t process, const struct prof_object *object,
			     const struct file_identity *identity, uint64_t distance);

/* Is the mapping of @placement, whose distance does not count, there already? */
bool placements_has(const struct placements *p, const struct placement *placement);

/* Adds a mapping that is not there. Its object is in @tables. Returns 0 or -ENOMEM. */
int placements_add(struct placements *p, const struct epoch_tables *tables,
		   const struct placement *placement);

/* Another epoch begins. */
void placements_clear(struct placements *p);

void placements_deinit(struct placements *p);

#endif
