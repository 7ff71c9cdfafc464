/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knows V8, the engine of Node.js, by its file, and where a version keeps functions. V8 has numbers
 * for debuggers in the file, from which the offsets come. Runs in the table child.
 */
#ifndef RECORD_LANGUAGES_FILES_NODE_LAYOUTS_H
#define RECORD_LANGUAGES_FILES_NODE_LAYOUTS_H

#include "record/languages/files/dynamic_symbols.h"
#include "record/languages/files/found_interpreter.h"
#include "record/languages/files/interpreter_versions.h"

/* Fills @found if the file is V8, or has it. Leaves it alone otherwise. */
void node_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);

/* The versions with support (interpreter_versions.h). */
bool node_version(size_t i, struct interpreter_version *version);

#endif
