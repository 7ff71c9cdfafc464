/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runtimes number the functions and classes that they make, or name them by an address, and some
 * compilers number functions. The next run or build of the program has other numbers, so diffs,
 * merged recordings and tables of a fleet would take one function for many. Reports leave such
 * parts out, as the table in lasting_name.c says. Two functions may then have one name.
 */
#ifndef REPORT_DEMANGLE_LASTING_NAME_H
#define REPORT_DEMANGLE_LASTING_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Removes what changes from run to run from the *@len bytes at @name. Returns false if nothing
 * does. */
bool lasting_name_make(char *name, size_t *len);

/* Returns false for a name that lasting_name_make certainly leaves as it is. */
bool lasting_name_may_change(const char *name, size_t len);

/* An example of each row of the table, for tests. */
struct lasting_name_example {
	const char *name, *lasting;
};

/* Returns example @i, or NULL after the last one. */
const struct lasting_name_example *lasting_name_example(size_t i);

#endif
