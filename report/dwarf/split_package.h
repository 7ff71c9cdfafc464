/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A package (.dwp) has the split units of a program in one file. Each section holds the parts of
 * all units, one after the other, and the index of units says which part is whose. Packages are of
 * DWARF 5 (7.3.5), or of the GNU extension to DWARF 4, whose index has version 2.
 */
#ifndef REPORT_DWARF_SPLIT_PACKAGE_H
#define REPORT_DWARF_SPLIT_PACKAGE_H

#include "report/dwarf/dwarf_file.h"

/*
 * Finds the unit with @dwo_id in @package. Sets the sections of @unit to its parts of the package's
 * sections; @unit is all zero before. Returns false if the package has no such unit or is damaged.
 */
bool split_package_find(const struct dwarf_file *package, uint64_t dwo_id, struct dwarf_file *unit);

#endif
