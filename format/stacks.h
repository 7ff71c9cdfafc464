/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The section of frames and stacks. Stacks are sorted by their frames from the root, and each is
 * written as its difference to the previous stack. A frame is written as its number among the
 * frames that ever follow its parent. Few frames do, since a call returns to few places. On 20,000
 * nearly distinct stacks the numbers take two thirds of the space of frame ids, on stacks of short
 * processes nine tenths.
 */
#ifndef FORMAT_STACKS_H
#define FORMAT_STACKS_H

#include "format/columns.h"
#include "format/order.h"

/* Head: number of frames, number of stacks without stack 0, which is not stored. */
enum {
	STACKS_FRAME_OBJECT, /* difference to the previous frame's */
	STACKS_FRAME_OFFSET, /* difference within an object, else the offset */
	STACKS_NR_CHILDREN,  /* of the root, then of each frame */
	STACKS_CHILD,        /* frame ids, ascending: first to parent, zigzag; next to last, - 1 */
	STACKS_SHARED,       /* frames shared with the previous stack, from the root */
	STACKS_LENGTH,       /* all frames of the stack */
	STACKS_BRANCH, /* first frame that differs: child number less the previous stack's, - 1 */
	STACKS_STEP,   /* further frames: child number, only where there are two or more */
	STACKS_END,    /* enum prof_stack_end */
	STACKS_NR_COLS,
};

/* The encoder of stacks_codec, which stacks_decode.c has. Returns 0 or -ENOMEM. */
int stacks_encode(const struct order *order, struct columns *cols);

#endif
