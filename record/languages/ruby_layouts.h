/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Knows Ruby's versions by their files, and where each keeps its frames. */
#ifndef RECORD_LANGUAGES_RUBY_LAYOUTS_H
#define RECORD_LANGUAGES_RUBY_LAYOUTS_H

#include "record/languages/dynamic_symbols.h"
#include "record/languages/found_interpreter.h"

/* Fills @found if the file is Ruby, or has it. Leaves it alone otherwise. */
void ruby_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);

#endif
