/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knows Ruby's versions by their files, and where each keeps its frames. Runs in the table child.
 */
#ifndef RECORD_LANGUAGES_FILES_RUBY_LAYOUTS_H
#define RECORD_LANGUAGES_FILES_RUBY_LAYOUTS_H

#include "record/languages/files/dynamic_symbols.h"
#include "record/languages/files/found_interpreter.h"
#include "record/languages/files/interpreter_versions.h"

/* Fills @found if the file is Ruby, or has it. Leaves it alone otherwise. */
void ruby_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);

/* The versions with support (interpreter_versions.h). */
bool ruby_version(size_t i, struct interpreter_version *version);

/* Those whose compiler YJIT makes code that is walked through. */
bool ruby_yjit_version(size_t i, struct interpreter_version *version);

#endif
