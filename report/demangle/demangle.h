/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns C++, Rust and D names into the names that their authors wrote, with libiberty. Files may be
 * hostile: a mangled name of a few hundred bytes can stand for gigabytes, and it can take libiberty
 * years. The bytes are limited here, the time in demangler.h.
 */
#ifndef REPORT_DEMANGLE_DEMANGLE_H
#define REPORT_DEMANGLE_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* The longest demangled name. */
#define DEMANGLED_BYTES_MAX 65000

enum demangle_style {
	DEMANGLE_BY_LAYOUT = 0, /* DEMANGLE_SHORT in pictures, else DEMANGLE_FULL */
	DEMANGLE_FULL,
	DEMANGLE_SHORT, /* without parameters, template arguments and clone suffixes */
	DEMANGLE_NONE,  /* names stay as they are */
};

/* Returns false for a name that demangle_name certainly leaves as it is. */
bool demangle_may_change(const char *name, size_t len, enum demangle_style style);

/*
 * Demangles the @len bytes at @name: Itanium C++ ("_Z", "___Z"), Rust (legacy without its hash, v0)
 * and D. "@plt" at the end stays. Sets *@text to a string that the caller frees. Leaves *@text
 * alone for a name that stays as it is: not mangled, damaged, too long before or after. Returns 0
 * or -ENOMEM.
 */
int demangle_name(const char *name, size_t len, enum demangle_style style, char **text);

#endif
