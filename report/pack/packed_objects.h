/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells which file of a model, with names or lines that were found, an object of an epoch is. */
#ifndef REPORT_PACK_PACKED_OBJECTS_H
#define REPORT_PACK_PACKED_OBJECTS_H

#include "report/model/model.h"
#include "report/symbols/found_names.h"

/* All zero: none. */
struct packed_objects {
	const struct model *model;
	VEC(uint32_t) ids; /* in the model */
	struct index index;
};

/* Lists the objects of @found, which is sorted. Returns 0 or -ENOMEM. */
int packed_objects_init(struct packed_objects *objects, const struct model *model,
			const struct found_names *found);

void packed_objects_deinit(struct packed_objects *objects);

/* Returns the object of the model that object @id of @epoch is; @file may be NULL. 0: none. */
uint32_t packed_objects_find(const struct packed_objects *objects, const struct prof_epoch *epoch,
			     uint32_t id, const struct prof_file_info *file);

#endif
