/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the stacks that print equal text. Hits of an event are added up over processes, by the text
 * of their stacks. One function has another frame in each process that has its file elsewhere, and
 * one frame for each address in it. The names of frames decide here, and whatever else the view
 * shows of them. No text is made for that, because names can be long and stacks many.
 */
#ifndef REPORT_VIEW_ALIKE_STACKS_H
#define REPORT_VIEW_ALIKE_STACKS_H

#include "report/model/model.h"
#include "report/symbols/symbolise.h"
#include "report/view/view.h"

/* All that a view shows of a frame. Compared as bytes: padding is zero. */
struct alike_frame {
	uint64_t start;  /* offset of a function without a name, if the view shows it */
	uint64_t off;    /* in the function; 0 unless the view shows offsets */
	uint64_t addr;   /* 0 unless the view shows addresses */
	uint32_t name;   /* in symbols.names; 0: none */
	uint32_t module; /* in alike_stacks.modules; 0 unless the view shows it for this frame */
	uint32_t has_start, has_addr;
};

struct alike_stack {
	size_t first_frame; /* in stack_frames */
	uint32_t nr_frames;
	bool is_missed;
};

/* alike_stacks_init makes them. */
struct alike_stacks {
	const struct model *model;
	const struct symbols *symbols;
	const struct view *view;
	struct string_set modules;
	VEC(struct alike_frame) frames;
	VEC(struct alike_stack) stacks;
	VEC(uint32_t) stack_frames; /* in frames */
	struct index frame_index, stack_index;
	/* By the model's object: a module plus 1. By its stack: the number plus 1. 0: not yet. */
	uint32_t *of_object, *of_stack;
};

/*
 * Prepares the search for alike stacks. All three arguments are borrowed until alike_stacks_deinit.
 * Returns 0 or -ENOMEM.
 */
int alike_stacks_init(struct alike_stacks *alike, const struct model *model,
		      const struct symbols *symbols, const struct view *view);

/* Releases the search; an all-zero one is fine. */
void alike_stacks_deinit(struct alike_stacks *alike);

/*
 * Sets *@number to the number that the model's @stack in @process shares with all stacks of equal
 * text. Returns 0, -ENOMEM, or -EOVERFLOW if the numbers exceed 32 bits.
 */
int alike_stacks_find(struct alike_stacks *alike, uint32_t process, uint32_t stack,
		      uint32_t *number);

#endif
