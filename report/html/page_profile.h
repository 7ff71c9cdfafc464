/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile is a picture of a page: an event of a recording, or a difference. A difference is a
 * profile of several parts, first those before. Each of these has one slot of time, and the slots
 * follow each other.
 */
#ifndef REPORT_HTML_PAGE_PROFILE_H
#define REPORT_HTML_PAGE_PROFILE_H

#include "report/print/print_changes.h"
#include "report/html/page_functions.h"
#include "report/html/page_sources.h"
#include "report/view/stack_trie.h"
#include "report/view/source.h"
#include "report/view/rows.h"

/* An event of a recording. */
struct profile_part {
	struct source *source;
	uint32_t event;
	uint32_t first_slot, nr_slots; /* in the profile's slots */
	uint64_t total;                /* sum of the counts */
	/* the counts of rows with a stack of user space: all, and those that reached its root */
	uint64_t user_stacks, complete_stacks;
};

/* An address space of a part. Its layouts are one process. */
struct profile_process {
	uint32_t part, process; /* the process in the model of the part */
};

/* page_profile_init makes it. */
struct page_profile {
	struct profile_part *parts; /* owned */
	uint32_t nr_parts;
	uint32_t nr_before; /* parts of a difference that are before; 0: no difference */
	bool is_normalized; /* a difference: before is scaled to the sum of after */
	/* The verdicts on the functions of a difference, borrowed; NULL: there are none. */
	const struct changes_printout *changes;
	struct page_sources sources; /* of the only part */
	struct stack_trie trie;
	VEC(struct model_slot) slots;
	VEC(struct profile_process) processes;
	struct index process_index;
	struct placed_branch *order; /* after page_profile_sort */
	struct rows_summary summary;
};

/* Makes a profile with room for @nr_parts, which the caller fills. Returns 0 or -ENOMEM. */
int page_profile_init(struct page_profile *profile, uint32_t nr_parts);

/*
 * Adds the stacks of the parts of @profile, whose sources and events are set, to its tree, and
 * their functions to @functions. Returns 0, -ENOMEM, or -E2BIG for too many nodes.
 */
int page_profile_make(struct page_profile *profile, struct page_functions *functions);

/* Sorts the tree after page_functions_sort has made @new_ids. Returns 0 or -ENOMEM. */
int page_profile_sort(struct page_profile *profile, const uint32_t *new_ids);

/* Releases the profile; an all-zero one is fine. */
void page_profile_deinit(struct page_profile *profile);

#endif
