/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knows Perl's versions by their files, and where each keeps its contexts. A build with threads has
 * all data in one struct. Its size, which the file has, depends on the options of the build, and so
 * does the layout. Runs in the table child.
 */
#ifndef RECORD_LANGUAGES_FILES_PERL_LAYOUTS_H
#define RECORD_LANGUAGES_FILES_PERL_LAYOUTS_H

#include "record/languages/files/dynamic_symbols.h"
#include "record/languages/files/found_interpreter.h"
#include "record/languages/files/interpreter_versions.h"

/* Fills @found if the file is Perl, or has it. Leaves it alone otherwise. */
void perl_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);

/* The versions with support (interpreter_versions.h). */
bool perl_version(size_t i, struct interpreter_version *version);

#endif
