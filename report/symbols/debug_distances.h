/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From file offset to address where only the debug file of a binary is at hand. Each process says
 * by its own mapping where the segments of the binary lie in the file, and is believed for its own
 * frames alone. Where processes that share a frame contradict each other, nobody is believed.
 */
#ifndef REPORT_SYMBOLS_DEBUG_DISTANCES_H
#define REPORT_SYMBOLS_DEBUG_DISTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/model/model.h"
#include "report/symbols/elffile.h"

/* How far the linked address of a frame is from its file offset. */
struct debug_distance {
	uint32_t frame;    /* in the model */
	uint64_t distance; /* address - offset, modulo 2^64 */
	bool is_known;
	bool is_contradicted;
};

/*
 * Finds the distances of @nr frames of @object, sorted by frame, by the segments of @debug. The
 * work is charged to @budget (NULL: none); when that is spent, they stay unknown.
 */
void debug_distances_find(const struct model *model, uint32_t object, const struct elf_file *debug,
			  struct file_budget *budget, struct debug_distance *distances, size_t nr);

#endif
