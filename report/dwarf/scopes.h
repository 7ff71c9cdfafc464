/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The namespaces and classes of a unit. An entry does not know the entries around it. So the first
 * question about a unit lists its scopes, with their ends.
 */
#ifndef REPORT_DWARF_SCOPES_H
#define REPORT_DWARF_SCOPES_H

#include "report/dwarf/dwarf_units.h"

#define SCOPE_NONE UINT32_MAX

struct scope {
	uint64_t start, end; /* offsets of the entries inside it */
	uint32_t parent;     /* SCOPE_NONE: the unit itself */
	bool is_namespace;
	struct dwarf_text name;
};

/* The scopes of the unit that was asked for last. All zero: none. */
struct scope_cache {
	const struct dwarf_unit *unit;
	VEC(struct scope) scopes; /* sorted by start */
};

/*
 * Prints the names of the scopes around the entry at @off in @unit, "a::b::", into @buf. Returns
 * the bytes, 0 for none or if they are more than @size. Errors are in @work.
 */
size_t scopes_print(struct scope_cache *cache, struct abbrev_cache *abbrevs,
		    struct dwarf_work *work, const struct dwarf_unit *unit, uint64_t off, char *buf,
		    size_t size);

/* Forgets the unit. */
void scope_cache_forget(struct scope_cache *cache);

void scope_cache_deinit(struct scope_cache *cache);

#endif
