/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The addresses of an entry: one range, or a list of them in .debug_ranges or .debug_rnglists. */
#ifndef REPORT_DWARF_RANGE_LIST_H
#define REPORT_DWARF_RANGE_LIST_H

#include "report/dwarf/dwarf_units.h"

/* Takes the range [low, high) of an entry. */
typedef void range_fn(void *ctx, uint64_t low, uint64_t high);

/*
 * Calls @fn for each range of @die that is not empty, in the order of the file. Leaves out ranges
 * that begin at 0: linkers put code there that they dropped. The bytes read are charged to @work.
 */
void die_ranges(const struct dwarf_unit *unit, const struct die *die, struct dwarf_work *work,
		range_fn *fn, void *ctx);

#endif
