/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C++ and Rust names as their authors wrote them, by libiberty. The names come from files that may
 * be hostile, and a mangled name of a few hundred bytes can stand for gigabytes.
 */
#ifndef REPORT_SYMBOLS_DEMANGLE_H
#define REPORT_SYMBOLS_DEMANGLE_H

#include <stddef.h>

/*
 * Demangles the @len bytes at @name: Itanium C++ ("_Z", "___Z"), Rust (legacy without its hash,
 * v0). *@text is a string that the caller frees; it is left alone when the name stays as it is: not
 * mangled, damaged, too long before or after. Returns 0 or -ENOMEM.
 */
int demangle_name(const char *name, size_t len, char **text);

#endif
