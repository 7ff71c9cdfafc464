/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One side's stack as it was drained: addresses as the program stored them. */
#ifndef RECORD_EPOCH_RAW_STACK_H
#define RECORD_EPOCH_RAW_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/shared.h"
#include "format/prof.h"

struct raw_stack {
	uint64_t id;            /* enum stack_id, or the hash */
	const uint64_t *frames; /* leaf first; in user space as stack_frame_is_exact says */
	size_t nr_frames;
	enum stack_end end;
};

/* The program has the format's numbers for the ends of stacks that it stores. */
#define SAME_END(end, prof) _Static_assert((int)(end) == (int)(prof), #end " differs from " #prof)
SAME_END(STACK_END_FP, PROF_STACK_UNKNOWN);
SAME_END(STACK_END_ROOT, PROF_STACK_COMPLETE);
SAME_END(STACK_END_CUT, PROF_STACK_CUT);
SAME_END(STACK_END_NO_TABLE, PROF_STACK_NO_TABLE);
SAME_END(STACK_END_BAD_RULE, PROF_STACK_BAD_RULE);
SAME_END(STACK_END_UNREADABLE, PROF_STACK_UNREADABLE);
SAME_END(STACK_END_EARLY, PROF_STACK_EARLY);
#undef SAME_END

/* How the stack ended, as the format says it. */
static inline enum prof_stack_end raw_stack_end(const struct raw_stack *raw)
{
	if (raw->id == STACK_NONE)
		return PROF_STACK_UNKNOWN;
	if (raw->id == STACK_MISSED + LOSS_STORAGE_FULL)
		return PROF_STACK_MISSED_FULL;
	if (raw->id < STACK_FIRST_ID)
		return PROF_STACK_MISSED_ERROR;
	if (raw->end == STACK_END_SWITCH || raw->end == STACK_END_WAKER)
		return PROF_STACK_UNKNOWN;
	return (enum prof_stack_end)raw->end;
}

#endif
