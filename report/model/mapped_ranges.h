/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ranges of offsets in objects that exactly one mapping covers. A recording may map an object
 * any number of times in one process, so a look-up must not pass all of its mappings.
 */
#ifndef REPORT_MODEL_MAPPED_RANGES_H
#define REPORT_MODEL_MAPPED_RANGES_H

#include <stddef.h>
#include <stdint.h>

#include "common/vec.h"

/* A process has mapped the part [pgoff, pgoff + size) of an object. */
struct model_mapping {
	uint32_t process, object;
	uint64_t pgoff, size;
};

/* The offsets [first, last] of @object in @process. */
struct mapped_range {
	uint32_t process, object;
	uint64_t first, last;
	uint32_t mapping; /* the index of the only mapping that covers them */
};

struct mapped_ranges {
	VEC(struct mapped_range) ranges; /* in the order of their members, without overlaps */
};

/*
 * Makes the ranges anew from @nr mappings. No two mappings of one object in one process begin at
 * one offset. Returns 0 or -ENOMEM.
 */
int mapped_ranges_make(struct mapped_ranges *ranges, const struct model_mapping *mappings,
		       size_t nr);

/* The range of @object in @process that holds @off. NULL if no mapping covers it, or several do. */
const struct mapped_range *mapped_ranges_find(const struct mapped_ranges *ranges, uint32_t process,
					      uint32_t object, uint64_t off);

/* Afterwards there are no ranges. */
void mapped_ranges_deinit(struct mapped_ranges *ranges);

#endif
