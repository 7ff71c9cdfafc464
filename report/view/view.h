/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the user wants to see stacks. What every printer of stacks shares.
 */
#ifndef REPORT_VIEW_VIEW_H
#define REPORT_VIEW_VIEW_H

#include <stdbool.h>

/* All false: the multi-line layout, both sides, bare names. */
struct view {
	bool folded;      /* one line per stack */
	bool delimited;   /* a delimiter between kernel and user frames */
	bool annotations; /* _[k] behind kernel frames */
	bool offsets;     /* +0xOFF behind names */
	bool modules;     /* [module] behind names */
	bool addresses;   /* raw addresses before names, multi-line only */
	bool user_only, kernel_only;
};

#endif
