/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions. An entry with code often has no name: it refers to the entry that stands for
 * all its copies, and that to a declaration in a class, perhaps in another unit or file. The name
 * for the linker tells most, and comes first. Without one, the name is that of the source, after
 * those of its namespaces and classes.
 */
#ifndef REPORT_DWARF_DWARF_NAMES_H
#define REPORT_DWARF_DWARF_NAMES_H

#include "report/dwarf/dwarf_units.h"
#include "report/dwarf/scopes.h"
#include "report/text/string_set.h"

struct known_name {
	const struct dwarf_unit *unit;
	uint64_t off;
	uint32_t name;
};

/* The names that a thread has found. All zero but for the set and the cache at the start. */
struct dwarf_names {
	struct string_set *set; /* gets the names */
	struct abbrev_cache *abbrevs;
	struct scope_cache scopes;
	VEC(struct known_name) known;
	struct index index;
};

/*
 * Finds the name of the function at @off in @unit. Returns its id in the set; 0 if it has none.
 * Errors are in @work.
 */
uint32_t dwarf_names_get(struct dwarf_names *names, struct dwarf_work *work,
			 const struct dwarf_unit *unit, uint64_t off);

/* Forgets the entries that are known, because their file is about to be closed. */
void dwarf_names_forget(struct dwarf_names *names);

void dwarf_names_deinit(struct dwarf_names *names);

#endif
