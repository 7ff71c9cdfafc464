/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knows Perl's versions by their files, and where each keeps its contexts. A build with threads has
 * all data in one struct. Its size, which the file has, depends on the options of the build, and so
 * does the layout.
 */
#ifndef RECORD_LANGUAGES_PERL_LAYOUTS_H
#define RECORD_LANGUAGES_PERL_LAYOUTS_H

#include "record/languages/dynamic_symbols.h"
#include "record/languages/found_interpreter.h"

/* Fills @found if the file is Perl, or has it. Leaves it alone otherwise. */
void perl_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);

#endif
