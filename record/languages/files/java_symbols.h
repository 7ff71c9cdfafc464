/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knows HotSpot, the virtual machine of Java, by the symbols that describe its data. Runs in the
 * table child.
 */
#ifndef RECORD_LANGUAGES_FILES_JAVA_SYMBOLS_H
#define RECORD_LANGUAGES_FILES_JAVA_SYMBOLS_H

#include "record/languages/files/dynamic_symbols.h"
#include "record/languages/files/found_interpreter.h"
#include "record/languages/files/interpreter_versions.h"

/* Fills @found if the file is HotSpot's library. Leaves it alone otherwise. */
void java_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);

/* The versions with support (interpreter_versions.h). */
bool java_version(size_t i, struct interpreter_version *version);

#endif
