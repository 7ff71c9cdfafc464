/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns file offsets into addresses if profrep has only the debug file of a binary. The mapping of
 * a process shows the place of the binary's segments in the file. profrep uses it for the frames of
 * that process alone. If processes that share a frame contradict each other, the frame stays
 * unknown.
 */
#ifndef REPORT_SYMBOLS_DEBUG_DISTANCES_H
#define REPORT_SYMBOLS_DEBUG_DISTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/model/model.h"
#include "elf/elffile.h"

/* The distance from the file offset of a frame to its linked address. */
struct debug_distance {
	uint32_t frame;    /* in the model */
	uint64_t distance; /* address - offset, modulo 2^64 */
	bool is_known;
	bool is_contradicted;
};

/*
 * Finds the distances of @nr frames of @object, sorted by frame, by the segments of @debug. The
 * work is charged to @budget (NULL: none). After @budget is spent, the frames stay unknown.
 */
void debug_distances_find(const struct model *model, uint32_t object, const struct elf_file *debug,
			  struct file_budget *budget, struct debug_distance *distances, size_t nr);

#endif
