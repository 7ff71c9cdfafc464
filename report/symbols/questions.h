/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames that need names, each at the places in stacks that it has. */
#ifndef REPORT_SYMBOLS_QUESTIONS_H
#define REPORT_SYMBOLS_QUESTIONS_H

#include "report/model/model.h"
#include "report/symbols/frame_place.h"

/* A frame at a place in a stack. */
struct question {
	uint32_t object;
	uint32_t slot; /* index in symbols.frames */
	uint64_t off;  /* offset in the object; for callers one byte before the frame's */
};

/* Returns the bytes from the address that is looked up to the frame's address. */
static inline uint64_t question_bytes_before(const struct model_frame *frame,
					     enum frame_place place)
{
	return place == FRAME_CALLER && !frame->is_exact;
}

/*
 * Collects the frames and places that the stacks of rows use, sorted by object and slot. A frame
 * that no such stack has at a place is not looked up there: filters may have taken its rows out.
 * The caller frees *@questions. Returns 0 or -ENOMEM.
 */
int questions_gather(const struct model *model, struct question **questions, size_t *nr_questions);

#endif
