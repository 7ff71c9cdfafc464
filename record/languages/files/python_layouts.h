/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knows CPython's versions by their files, and where each keeps its frames. Within a minor version
 * the layout does not change. Runs in the table child.
 */
#ifndef RECORD_LANGUAGES_FILES_PYTHON_LAYOUTS_H
#define RECORD_LANGUAGES_FILES_PYTHON_LAYOUTS_H

#include "record/languages/files/dynamic_symbols.h"
#include "record/languages/files/found_interpreter.h"
#include "record/languages/files/interpreter_versions.h"

/* Fills @found if the file is CPython, or has it. Leaves it alone otherwise. */
void python_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);

/* The versions with support (interpreter_versions.h). */
bool python_version(size_t i, struct interpreter_version *version);

#endif
