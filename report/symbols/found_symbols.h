/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols that files gave for the frames of a model: as a recording carries them, with mangled
 * names and with offsets in the objects.
 */
#ifndef REPORT_SYMBOLS_FOUND_SYMBOLS_H
#define REPORT_SYMBOLS_FOUND_SYMBOLS_H

#include "elf/ranges.h"
#include "format/prof.h"
#include "report/text/string_set.h"

/* found_symbols_init makes them. */
struct found_symbols {
	struct string_set names;
	VEC(struct prof_symbol) symbols; /* by object, with ids of names; without one: bounds */
};

/* Returns 0 or -ENOMEM. */
int found_symbols_init(struct found_symbols *found);

/* All-zero symbols are fine, and so are those of a failed init. */
void found_symbols_deinit(struct found_symbols *found);

/*
 * Adds the range of @hit, which is at @offset of @object. A range that is the last one again is
 * there already. Returns 0 or -ENOMEM.
 */
int found_symbols_add(struct found_symbols *found, uint32_t object, const struct range_hit *hit,
		      uint64_t offset);

#endif
