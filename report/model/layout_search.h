/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the layout of a process that has an object at a place, without a look at each layout before
 * it. A process can have many layouts, which are far apart in memory. Layout 0 is not in here,
 * because nearly all processes have no other.
 */
#ifndef REPORT_MODEL_LAYOUT_SEARCH_H
#define REPORT_MODEL_LAYOUT_SEARCH_H

#include <stdint.h>

#include "common/index.h"
#include "common/vec.h"

/* An object of a process, named by its layout 0, in its layouts. */
struct layout_object {
	uint32_t process, object;
	uint32_t nr; /* the layouts in [1, nr) all have the object */
};

/* The first layout but 0 that has the object at a place. */
struct layout_place {
	uint32_t process, object;
	uint64_t bias;
	uint32_t layout;
};

struct layout_search {
	VEC(struct layout_object) objects;
	VEC(struct layout_place) places;
	struct index object_index, place_index;
};

/* Notes that @layout, which is not 0, has @object at @bias now. Returns 0 or -ENOMEM. */
int layout_search_add(struct layout_search *search, uint32_t process, uint32_t object,
		      uint64_t bias, uint32_t layout);

/*
 * Returns a number up to that of the first layout but 0 that has @object at @bias or not at all.
 * The layouts before it need no look. It is the first layout itself if the layouts got the object
 * in their order.
 */
uint32_t layout_search_first(const struct layout_search *search, uint32_t process, uint32_t object,
			     uint64_t bias);

void layout_search_deinit(struct layout_search *search);

#endif
