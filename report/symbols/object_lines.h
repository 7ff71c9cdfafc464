/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inlined functions and lines of an object: from its debug information, or from the recording. */
#ifndef REPORT_SYMBOLS_OBJECT_LINES_H
#define REPORT_SYMBOLS_OBJECT_LINES_H

#include "report/dwarf/dwarf_lookup.h"
#include "report/model/model.h"
#include "report/symbols/elf_pairs.h"

/*
 * Looks up the @nr addresses in @hits, which are sorted, and appends what it finds to @lines.
 * Debug information that is damaged or missing is as good as none. So is one that takes too much
 * work; *@is_unread is set then. Returns 0 or -ENOMEM.
 */
int elf_lines_find(struct elf_pair *elf, const struct debug_roots *roots, struct source_hit *hits,
		   size_t nr, struct source_frames *lines, bool *is_unread);

/*
 * Appends to @lines what the recording has for @off of @object. Sets *@first and *@nr to its place
 * there; they stay as they are if the recording has nothing. Returns 0 or -ENOMEM.
 */
int recorded_lines_find(const struct model *model, uint32_t object, uint64_t off,
			struct source_frames *lines, uint32_t *first, uint32_t *nr);

#endif
