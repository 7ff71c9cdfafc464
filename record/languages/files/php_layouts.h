/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knows PHP's versions by their files, and where each keeps its frames. The number of the interface
 * for extensions in C, which the file has, is that of the layout. Runs in the table child.
 */
#ifndef RECORD_LANGUAGES_FILES_PHP_LAYOUTS_H
#define RECORD_LANGUAGES_FILES_PHP_LAYOUTS_H

#include "record/languages/files/dynamic_symbols.h"
#include "record/languages/files/found_interpreter.h"
#include "record/languages/files/interpreter_versions.h"

/* Fills @found if the file is PHP, or has it. Leaves it alone otherwise. */
void php_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);

/* The versions with support (interpreter_versions.h). */
bool php_version(size_t i, struct interpreter_version *version);

#endif
