/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's choice of the look of stacks, for all printers of stacks. */
#ifndef REPORT_VIEW_VIEW_H
#define REPORT_VIEW_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "report/model/shown_frames.h"
#include "report/demangle/demangle.h"
#include "report/text/amount.h"
#include "report/view/owner.h"

/* The look of a frame without a name. */
enum unnamed {
	UNNAMED_BY_LAYOUT = 0, /* UNNAMED_FUNCTION in folded output, else UNNAMED_UNKNOWN */
	UNNAMED_FUNCTION,      /* [module+0xSTART] if the start of the function is known */
	UNNAMED_MODULE,        /* [module] */
	UNNAMED_UNKNOWN,       /* [unknown] */
};

/* All zero: the multi-line layout, both sides, bare names. */
struct view {
	bool folded;    /* one line per stack */
	bool is_data;   /* for other programs: names as they are (TEXT_DATA) */
	bool delimited; /* with a delimiter between kernel and user frames */
	/* with _[k] after kernel frames, _[i] inlined ones, _[j] JIT-compiled ones, and _[py],
	 * _[js] and so on after functions of a language */
	bool annotations;
	bool offsets;    /* with +0xOFF after names, :LINE after those of a language */
	bool modules;    /* with [module] after names */
	bool inlines;    /* inlined functions are frames of their own */
	bool lines;      /* with file:line after names */
	bool full_paths; /* the file of a line, and the DSO in a table, with its whole path */
	bool addresses;  /* with raw addresses before names, in the multi-line layout only */
	bool user_only, kernel_only;
	bool no_wakers;       /* without the stacks of wakers */
	bool per_process;     /* hits of each process by themselves; samples always are */
	enum owner by;        /* that stacks begin with */
	const char *by_label; /* the key of a label in its place; NULL: none */
	uint32_t event;       /* rows of this event alone, in prof_meta.events */
	enum unnamed unnamed;
	enum demangle_style demangle;
	enum shown_frames frames;
	/* FRAMES_AUTO is FRAMES_LANGUAGE where most samples have functions of a language. */
	bool prefers_language;
	bool hides_interpreters; /* frames were left out because of that */
	enum amount_unit unit;   /* of counts in tables for people */
};

/* Returns true if the view needs debug information. */
static inline bool view_needs_lines(const struct view *view)
{
	return view->inlines || view->lines;
}

static inline enum unnamed view_unnamed(const struct view *view)
{
	if (view->unnamed != UNNAMED_BY_LAYOUT)
		return view->unnamed;
	return view->folded ? UNNAMED_FUNCTION : UNNAMED_UNKNOWN;
}

#endif
