/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How each language knows the files of its interpreter. Runs in the table child. */
#ifndef RECORD_LANGUAGES_FILES_LANGUAGE_FILES_H
#define RECORD_LANGUAGES_FILES_LANGUAGE_FILES_H

#include "bpf/languages/languages.h"
#include "record/languages/files/dynamic_symbols.h"
#include "record/languages/files/found_interpreter.h"
#include "record/languages/files/interpreter_versions.h"

/*
 * NAME_find fills @found if the file is the interpreter, or has it, and leaves it alone otherwise.
 * NAME_version tells the versions with support (interpreter_versions.h).
 */
#define LANGUAGE_FILES(language, name, ...)                                                        \
	void name##_find(const struct dynamic_symbols *symbols, struct found_interpreter *found);  \
	bool name##_version(size_t i, struct interpreter_version *version);

LANGUAGES(LANGUAGE_FILES)

#endif
