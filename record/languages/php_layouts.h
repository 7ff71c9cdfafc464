/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knows PHP's versions by their files, and where each keeps its frames. The number of the interface
 * for extensions in C, which the file has, is that of the layout.
 */
#ifndef RECORD_LANGUAGES_PHP_LAYOUTS_H
#define RECORD_LANGUAGES_PHP_LAYOUTS_H

#include "record/languages/dynamic_symbols.h"
#include "record/languages/found_interpreter.h"

/* Fills @found if the file is PHP, or has it. Leaves it alone otherwise. */
void php_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);

#endif
