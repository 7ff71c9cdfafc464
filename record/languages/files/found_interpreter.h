/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interpreter of a language in a file: its name for people, and how to find the functions that
 * it runs. The child that makes unwind tables finds it, and the recorder believes none of it. Runs
 * in the table child.
 */
#ifndef RECORD_LANGUAGES_FILES_FOUND_INTERPRETER_H
#define RECORD_LANGUAGES_FILES_FOUND_INTERPRETER_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/languages/languages.h"

#define INTERPRETER_NAME_BYTES 48

/* Runtimes of record/languages/files/other_runtimes.h, with numbers from NR_LANGUAGES on. */
#define NR_OTHER_RUNTIMES 14

/* All zero: the file has none. PCRE2 is none, and makes code as the others do. */
struct found_interpreter {
	uint32_t language;  /* enum language, or the number of another runtime */
	uint32_t has_regex; /* PCRE2 (bpf/made/regex_code.h) */
	/* Offset of the variable of record/machines/registered_code.h from offset 0; 0: none. */
	uint64_t descriptor;
	char name[INTERPRETER_NAME_BYTES]; /* "CPython 3.11.2" */
	/* Its language is LANGUAGE_NONE if the version has no support. */
	struct interpreter interpreter;
};

/* Has the file an interpreter, perhaps one whose functions nobody finds? */
static inline bool found_interpreter_is_any(const struct found_interpreter *found)
{
	return found->language || interpreter_is_any(&found->interpreter);
}

/* Ends the name, and clears a language that there is none of: anybody may have written @found. */
void found_interpreter_check(struct found_interpreter *found);

#endif
