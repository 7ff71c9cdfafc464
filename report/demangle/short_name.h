/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shortens names for pictures: a name of the C++ library has a thousand characters, most of them
 * template arguments. Parameters, template arguments and clone suffixes go. Two functions may then
 * have one name.
 */
#ifndef REPORT_DEMANGLE_SHORT_NAME_H
#define REPORT_DEMANGLE_SHORT_NAME_H

#include <stddef.h>

/*
 * Returns the length of the symbol @name, of @len bytes, without suffixes that compilers add to
 * copies and parts of a function: .cold, .part.0, .constprop.0, .isra.0, .lto_priv.0, .llvm.1.
 */
size_t short_name_length(const char *name, size_t len);

/*
 * Shortens the demangled name @text of C++, Rust or D in place. Brackets that do not match stay.
 */
void short_name_make(char *text);

#endif
