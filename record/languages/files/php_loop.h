/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the loop of PHP's interpreter in a file. Code that PHP's JIT compiler makes runs in the
 * frame of the loop (bpf/made/made_code.h). Runs in the table child.
 */
#ifndef RECORD_LANGUAGES_FILES_PHP_LOOP_H
#define RECORD_LANGUAGES_FILES_PHP_LOOP_H

#include "record/languages/files/dynamic_symbols.h"
#include "record/languages/files/found_interpreter.h"
#include "record/languages/files/interpreter_versions.h"

/* Notes the loop in @found if the file is PHP, and its @version is one whose stacks were judged. */
void php_loop_find(const struct dynamic_symbols *symbols, const char *version,
		   struct found_interpreter *found);

/* The versions whose made code is walked through (interpreter_versions.h). */
bool php_loop_version(size_t i, struct interpreter_version *version);

#endif
