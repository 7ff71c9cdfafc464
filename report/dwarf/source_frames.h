/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions at an address as the source has them, innermost first: those that the compiler
 * inlined there, then the function of the code itself. Each has the line where the program was in
 * it: for the innermost that of the address, for the others that of the call.
 */
#ifndef REPORT_DWARF_SOURCE_FRAMES_H
#define REPORT_DWARF_SOURCE_FRAMES_H

#include "common/vec.h"
#include "report/text/string_set.h"

struct source_frame {
	uint32_t name; /* in names; 0: unknown */
	uint32_t file; /* in files, a path; 0: unknown */
	uint32_t line; /* 0: unknown, or the code is of no line */
	bool is_inlined;
};

/* source_frames_init makes them. */
struct source_frames {
	struct string_set names, files;
	VEC(struct source_frame) frames;
	uint32_t nr_missing; /* files of split units, and shared ones, that were not found */
	uint32_t missing;    /* one of them, in files */
};

/* Returns 0 or -ENOMEM. */
int source_frames_init(struct source_frames *frames);

/* All-zero frames are fine, and so are those of a failed init. */
void source_frames_deinit(struct source_frames *frames);

#endif
