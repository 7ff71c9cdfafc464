/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns C++ and Rust names into the names that their authors wrote, with libiberty. Files may be
 * hostile: a mangled name of a few hundred bytes can stand for gigabytes.
 */
#ifndef REPORT_SYMBOLS_DEMANGLE_H
#define REPORT_SYMBOLS_DEMANGLE_H

#include <stddef.h>

/*
 * Demangles the @len bytes at @name: Itanium C++ ("_Z", "___Z") and Rust (legacy without its hash,
 * v0). Sets *@text to a string that the caller frees. Leaves *@text alone for a name that stays as
 * it is: not mangled, damaged, too long before or after. Returns 0 or -ENOMEM.
 */
int demangle_name(const char *name, size_t len, char **text);

#endif
