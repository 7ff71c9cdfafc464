/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the loop of PHP's interpreter in a file. Code that PHP's JIT compiler makes runs in the
 * frame of the loop (bpf/made_code.h).
 */
#ifndef RECORD_LANGUAGES_PHP_LOOP_H
#define RECORD_LANGUAGES_PHP_LOOP_H

#include "record/languages/dynamic_symbols.h"
#include "record/languages/found_interpreter.h"

/* Notes the loop in @found if the file is PHP, and its @version is one whose stacks were judged. */
void php_loop_find(const struct dynamic_symbols *symbols, const char *version,
		   struct found_interpreter *found);

#endif
