/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first function of the user's own code in a stack. The leaf of a stack off the CPU is always
 * the scheduler, and that of a hit is the probed function: a table of leaves answers nothing there.
 */
#ifndef REPORT_TERMINAL_OWN_LEAF_H
#define REPORT_TERMINAL_OWN_LEAF_H

#include "report/view/printout.h"

/* The part of a stack above which a frame is the user's own. */
struct own_leaf {
	uint32_t nr_user, nr_kernel; /* frames that are passed over, from each side's leaf */
};

/*
 * Finds the frame at which @row counts. Passes over the kernel, the C library, interpreters, and
 * the runtimes and standard libraries of Go, Java and Python; in a stack without other frames, over
 * as few of them as leave one. Passes over the probed function in any case but that it is alone.
 */
struct own_leaf own_leaf_find(const struct printout *p, const struct stack_row *row);

#endif
