/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of interpreted languages, and of what else makes code. Options, help texts, the man
 * page, the search of files and tests use it, so a language or a version needs no other list.
 */
#ifndef RECORD_LANGUAGES_LANGUAGE_TABLE_H
#define RECORD_LANGUAGES_LANGUAGE_TABLE_H

#include <stdint.h>
#include <stdio.h>

#include "bpf/languages/languages.h"
#include "record/languages/files/dynamic_symbols.h"
#include "record/languages/files/found_interpreter.h"
#include "record/languages/files/interpreter_versions.h"

/* Fills @found if a file has what this looks for. Leaves it alone otherwise. */
typedef void (*interpreter_find_fn)(const struct dynamic_symbols *symbols,
				    struct found_interpreter *found);

struct language_row {
	const char *key;         /* short name, in stacks and on the command line: "py" */
	const char *inlined_key; /* of functions that a compiler has put into others; or NULL */
	const char *name;        /* "Python" */
	const char *interpreter; /* whose versions count: "CPython" */
	const char *example;     /* a function, as stacks name it */
	interpreter_version_fn version;
	interpreter_find_fn find; /* runs in the child that reads files */
};

/* The first one, LANGUAGE_NONE, is all zero. */
extern const struct language_row languages[NR_LANGUAGES];

/* What makes machine code through which stacks are whole, beside Java and Erlang. */
struct code_maker {
	const char *name;
	interpreter_version_fn version; /* NULL: all versions */
	interpreter_find_fn find;       /* NULL: that of its language does it */
};

#define NR_CODE_MAKERS 6

extern const struct code_maker code_makers[NR_CODE_MAKERS];

/* All languages, one bit 1 << enum language each. */
#define ALL_LANGUAGES (((1u << NR_LANGUAGES) - 1) & ~(1u << LANGUAGE_NONE))

/* In place of a set of languages: the user asks for the table, or the man page does. */
#define LANGUAGES_HELP     (1u << LANGUAGE_NONE)
#define LANGUAGES_HELP_MAN (1u << 31)

/*
 * The short name of @language, or of a runtime with a number behind them, "py"; "": there is none.
 */
const char *language_name(uint32_t language);

/* The short name of functions of @language that a compiler has put into others, "java,inl". */
const char *language_inlined_name(enum language language);

/*
 * Parses a list of names with commas, "none", or a word that asks for the table, into @target, a
 * uint32_t with a bit for each language. Returns 0 or -EINVAL.
 */
int languages_parse(const char *text, void *target);

/* Word @i of those that languages_parse knows and people use; NULL after the last one. */
const char *languages_word(size_t i);

/* Writes keys, interpreters and versions to @f, as a part of a sentence. */
void languages_print_short(FILE *f);

/* Writes the table to @f: for people and scripts, or in man(7) form. */
void languages_print(FILE *f);
void languages_print_man(FILE *f);

#endif
