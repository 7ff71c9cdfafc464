/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knows CPython's versions by their files, and where each keeps its frames. Within a minor version
 * the layout does not change.
 */
#ifndef RECORD_LANGUAGES_PYTHON_LAYOUTS_H
#define RECORD_LANGUAGES_PYTHON_LAYOUTS_H

#include "record/languages/dynamic_symbols.h"
#include "record/languages/found_interpreter.h"

/* Fills @found if the file is CPython, or has it. Leaves it alone otherwise. */
void python_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);

#endif
