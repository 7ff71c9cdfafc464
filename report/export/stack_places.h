/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stack of a row as one list: that of user space, that of the kernel, and the stacks of a waker
 * on top. Formats of other tools have no sides.
 */
#ifndef REPORT_EXPORT_STACK_PLACES_H
#define REPORT_EXPORT_STACK_PLACES_H

#include "common/vec.h"
#include "report/symbols/symbolise.h"
#include "report/view/rows.h"

struct stack_place {
	const char *text; /* stands for frames that the recording lacks; NULL: a frame */
	uint32_t frame;
	enum frame_place place;
	bool is_kernel;
	bool is_wakers; /* callers stand above callees */
};

typedef VEC(struct stack_place) stack_place_vec;

/* Makes the list of @row anew, the root first. Returns 0 or -ENOMEM. */
int stack_places_make(const struct stack_row *row, stack_place_vec *places);

#endif
