/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts unwind tables into the kernel's maps, where all tables share rules, and takes them out
 * again. Maps are of fixed size: a file may take a part of them at most.
 */
#ifndef RECORD_UNWIND_TABLE_MAPS_H
#define RECORD_UNWIND_TABLE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/owner_room.h"
#include "bpf/walk/unwind.h"
#include "common/index.h"
#include "common/parse.h"
#include "common/vec.h"
#include "record/cfi/unwind_table.h"
#include "record/unwind/extents.h"

/* Descriptors of the maps that bpf/walk/user_stack.h declares; the sampler's. */
struct unwind_maps {
	int spaces, mappings, pages, files, rules, known_rules, segments, wants, early;
	/* Those of bpf/languages/interpreters.h and bpf/made/java_frames.h. */
	int interpreters, interpreter_files, seen_functions, function_names, java_machines,
		beam_machines;
	int thread_contexts;                     /* of bpf/count/request_labels.h */
	uint64_t *seen_period;                   /* of bpf/languages/seen_functions.h */
	struct owner_room *early_rooms;          /* OWNER_ROOMS; of bpf/walk/early_submit.h */
	struct owner_room *name_rooms;           /* OWNER_ROOMS; of bpf/languages/send_names.h */
	struct named_functions *named_functions; /* of the same */
};

/* Rows that fit into all segments. */
#define TABLE_MAPS_ROWS (UNWIND_MAX_SEGMENTS * UNWIND_SEGMENT_ROWS)

/*
 * Room that the table of one file may take. libLLVM takes 1,000 rules, 981,000 rows and 809 pages,
 * and no file of a distribution takes many more.
 */
#define TABLE_RULES_MAX (UNWIND_MAX_RULES / 8)
#define TABLE_ROWS_MAX  (TABLE_MAPS_ROWS / 4)
#define TABLE_PAGES_MAX (UNWIND_MAX_PAGES / 4)

/* Where a table is in the maps. All zero: nowhere. */
struct table_place {
	uint32_t first_page, nr_pages;
	uint32_t nr_rows;
	u32_vec rules; /* numbers of the rules that it shares */
};

/*
 * The rows of one page in the recorder's memory. Walks of early samples need a few rows of a few
 * pages, and nearly the same ones each time. A whole segment would take long to map.
 */
struct table_window {
	void *memory; /* NULL: nothing is mapped */
	size_t bytes;
	const uint32_t *rows;
	struct unwind_page page;
};

#define TABLE_WINDOW_BITS 7
#define TABLE_WINDOWS     (1u << TABLE_WINDOW_BITS)

/* Initialise with table_maps_init. */
struct table_maps {
	struct unwind_maps maps;
	struct unwind_page *pages; /* [UNWIND_MAX_PAGES] */
	struct extents free_pages;
	struct extents free_rows;
	VEC(struct unwind_rule) rules;
	u32_vec rule_users; /* tables that share rules[i]; 0: the number is free */
	u32_vec free_rules;
	struct index by_rule;
	bool knows_removed; /* programs may know rules of tables that were taken out */
	uint32_t nr_segments;
	int segment_fds[UNWIND_MAX_SEGMENTS];
	struct unwind_segment *segments[UNWIND_MAX_SEGMENTS]; /* NULL: not mapped */
	uint32_t nr_mapped;
	struct table_window windows[TABLE_WINDOWS]; /* by the first row of the page */
};

/* Returns 0 or -ENOMEM; the deinit is due in any case. */
int table_maps_init(struct table_maps *store);

/* Tells the maps, and puts the rules into them that need no table. Comes before the first table. */
void table_maps_begin(struct table_maps *store, const struct unwind_maps *maps);

/*
 * Adds a table. Its pages follow each other. Returns 0, -EFBIG when it is too large for one file,
 * -ENOSPC when a map or the kernel's memory is full, or -ENOMEM. Nothing is left of it then.
 */
int table_maps_add(struct table_maps *store, const struct unwind_table *table,
		   struct table_place *place);

/* Takes a table out. No program may refer to it any more. @place is empty then. */
void table_maps_remove(struct table_maps *store, struct table_place *place);

/* Is a map so full that tables which nobody needs should go? */
bool table_maps_are_tight(const struct table_maps *store);

/* The rule that is always there with the number UNWIND_RULE_..., below UNWIND_NR_OWN_RULES. */
const struct unwind_rule *table_maps_own_rule(const struct table_maps *store, uint32_t nr);

/* The rule for @pc in a mapping with pages, or NULL. */
const struct unwind_rule *table_maps_find(struct table_maps *store,
					  const struct unwind_mapping *mapping, uint64_t pc);

void table_maps_deinit(struct table_maps *store);

#endif
