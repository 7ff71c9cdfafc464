/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ids of the frames that the counts of an epoch use. A frame is known by the address that is
 * looked up for its name: that of a return address is one byte before it. So a frame can have two
 * ids, by its place in the stack.
 */
#ifndef REPORT_TABLES_EPOCH_FRAMES_H
#define REPORT_TABLES_EPOCH_FRAMES_H

#include "report/tables/recording_tables.h"

/* epoch_frames_make fills it. */
struct epoch_frames {
	const struct prof_epoch *epoch;
	struct object_identity *objects;
	uint64_t *ids;   /* [frame * NR_FRAME_PLACES + place]; 0: no count has it there */
	bool *is_exact;  /* by frame */
	bool *has_stack; /* by stack: a count has it */
};

/*
 * Makes the ids, and adds frames and names that are new to @tables. Returns 0 or -ENOMEM. Call
 * epoch_frames_deinit in both cases.
 */
int epoch_frames_make(struct epoch_frames *frames, struct recording_tables *tables,
		      const struct prof_epoch *epoch);

void epoch_frames_deinit(struct epoch_frames *frames);

/* Returns the index in ids of the frame at @depth of @stack, 0 for the leaf. */
size_t epoch_frames_slot(const struct epoch_frames *frames, const struct prof_stack *stack,
			 uint32_t depth);

/*
 * Returns how many callers at the root of @a are those of @b. The leaf is none. Stacks of a
 * recording are sorted by their frames from the root, so neighbours have many.
 */
uint32_t epoch_frames_nr_same(const struct prof_epoch *epoch, const struct prof_stack *a,
			      const struct prof_stack *b);

static inline uint64_t epoch_frames_id(const struct epoch_frames *frames,
				       const struct prof_stack *stack, uint32_t depth)
{
	return frames->ids[epoch_frames_slot(frames, stack, depth)];
}

#endif
