/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interpreters and compilers that are known by a symbol alone: profrec finds none of their
 * functions, and says so. Runs in the table child.
 */
#ifndef RECORD_LANGUAGES_FILES_OTHER_RUNTIMES_H
#define RECORD_LANGUAGES_FILES_OTHER_RUNTIMES_H

#include "record/languages/files/dynamic_symbols.h"
#include "record/languages/files/found_interpreter.h"

/* Fills @found, unless it has a language, if the file defines the symbol of such a runtime. */
void other_runtime_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);

/* Fills in the descriptor, if the file has the variable of record/machines/registered_code.h. */
void registered_code_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);

/* The short name of the language with number @language, from NR_LANGUAGES on; "": there is none. */
const char *other_runtime_key(uint32_t language);

#endif
