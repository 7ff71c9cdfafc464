/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts unwind tables into the kernel's maps, where all tables share rules. A table stays in, since
 * any process may use it again.
 */
#ifndef RECORD_UNWIND_TABLE_MAPS_H
#define RECORD_UNWIND_TABLE_MAPS_H

#include <stdint.h>

#include "bpf/unwind.h"
#include "common/index.h"
#include "common/vec.h"
#include "record/cfi/unwind_table.h"

/* Descriptors of the maps that bpf/user_stack.h declares; the sampler's. */
struct unwind_maps {
	int spaces, mappings, pages, rules, segments, wants, early;
};

/* All zero but the maps: empty. */
struct table_maps {
	struct unwind_maps maps;
	VEC(struct unwind_page) pages;
	VEC(struct unwind_rule) rules;
	struct index by_rule;
	uint32_t nr_segments;
	uint32_t nr_rows; /* in the last segment */
	int segment_fds[UNWIND_MAX_SEGMENTS];
	struct unwind_segment *segments[UNWIND_MAX_SEGMENTS]; /* NULL: not mapped */
};

/*
 * Adds a table. Its pages follow each other from *@first_page on. Returns 0, -ENOSPC when a map is
 * full or the kernel has no more memory, or -ENOMEM.
 */
int table_maps_add(struct table_maps *store, const struct unwind_table *table,
		   uint32_t *first_page);

/*
 * The rule for @pc in a mapping with pages, or NULL. The segment stays mapped until
 * table_maps_unmap.
 */
const struct unwind_rule *table_maps_find(struct table_maps *store,
					  const struct unwind_mapping *mapping, uint64_t pc);

/* Unmaps all segments, since mapped segments count as the recorder's memory. */
void table_maps_unmap(struct table_maps *store);

void table_maps_deinit(struct table_maps *store);

#endif
