/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names and lines that files gave for the frames of a model: as a recording carries them, with
 * mangled names and with offsets in the objects.
 */
#ifndef REPORT_SYMBOLS_FOUND_NAMES_H
#define REPORT_SYMBOLS_FOUND_NAMES_H

#include "elf/ranges.h"
#include "format/prof.h"
#include "report/dwarf/dwarf_lookup.h"
#include "report/symbols/elf_pairs.h"
#include "report/text/string_set.h"

/* found_names_init makes them. */
struct found_names {
	struct string_set names;
	VEC(struct prof_symbol) symbols; /* with ids of names; without one: bounds */
	VEC(struct prof_line) lines;
	VEC(struct prof_source_frame) source_frames; /* with ids of names; paths are names, too */
	VEC(struct prof_name_source) sources;        /* with ids of names */
};

/* Returns 0 or -ENOMEM. */
int found_names_init(struct found_names *found);

/* All-zero symbols are fine, and so are those of a failed init. */
void found_names_deinit(struct found_names *found);

/*
 * Adds the range of @hit, which is at @offset of @object. A range that is the last one again is
 * there already. Returns 0 or -ENOMEM.
 */
int found_names_add(struct found_names *found, uint32_t object, const struct range_hit *hit,
		    uint64_t offset);

/*
 * Adds the functions that @hit has in @frames; the address is at @offset of @object. Returns 0 or
 * -ENOMEM.
 */
int found_names_add_line(struct found_names *found, uint32_t object, uint64_t offset,
			 const struct source_frames *frames, const struct source_hit *hit);

/*
 * Adds the files of @elf as sources of the names of @object: @parts[0] are the parts of the binary
 * that gave names, @parts[1] those of the debug file. Call it with ascending objects. Returns 0 or
 * -ENOMEM.
 */
int found_names_add_files(struct found_names *found, uint32_t object, const struct elf_pair *elf,
			  const uint8_t parts[2]);

/*
 * Sorts symbols and lines by object, then by offset. Those that are there twice stay once. Call it
 * after the last one was added.
 */
void found_names_sort(struct found_names *found);

/* Returns the first symbol at @offset of @object or after it; symbols.nr if there is none. */
size_t found_names_symbol(const struct found_names *found, uint32_t object, uint64_t offset);

/* Returns the first source of @object or of one after it; sources.nr if there is none. */
size_t found_names_source(const struct found_names *found, uint32_t object);

/* Orders elements of lines by object, offset and first frame, for qsort. */
int found_names_compare_lines(const void *a, const void *b);

/* Returns the first line at @offset of @object or after it; lines.nr if there is none. */
size_t found_names_line(const struct found_names *found, uint32_t object, uint64_t offset);

#endif
