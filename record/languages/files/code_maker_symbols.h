/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Knows what makes machine code and has no functions of a language for stacks: LuaJIT, Guile,
 * PCRE2, and CPython's stubs. Walks go through that code (bpf/made/made_code.h,
 * bpf/made/regex_code.h). Runs in the table child.
 */
#ifndef RECORD_LANGUAGES_FILES_CODE_MAKER_SYMBOLS_H
#define RECORD_LANGUAGES_FILES_CODE_MAKER_SYMBOLS_H

#include "record/languages/files/dynamic_symbols.h"
#include "record/languages/files/found_interpreter.h"
#include "record/languages/files/interpreter_versions.h"

/* Note in @found that the file has it. */
void lua_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);
void guile_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);
void regex_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);

/* The versions that are known of LuaJIT, of Guile, of the stubs of CPython, and of Ruby's YJIT. */
bool lua_version(size_t i, struct interpreter_version *version);
bool guile_version(size_t i, struct interpreter_version *version);
bool python_stub_version(size_t i, struct interpreter_version *version);
bool ruby_yjit_version(size_t i, struct interpreter_version *version);

#endif
