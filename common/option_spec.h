/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables that describe a program's command line: its commands, and the options of each. The
 * parser, --help, the man page's lists and the completion use these tables, so they cannot
 * disagree.
 */
#ifndef COMMON_OPTION_SPEC_H
#define COMMON_OPTION_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/err.h"
#include "common/vec.h"
#include "common/words.h"

/* The values of an option that the user may give several times, in their order. */
typedef VEC(const char *) string_vec;

enum option_type {
	OPTION_FLAG,     /* bool * */
	OPTION_STRING,   /* const char ** */
	OPTION_STRINGS,  /* string_vec *: may be given several times */
	OPTION_WORDS,    /* string_vec *: one word or more, up to the next option */
	OPTION_U64,      /* uint64_t *, within [min, max] */
	OPTION_DURATION, /* uint64_t *: nanoseconds, within [min, max] */
	OPTION_SIZE,     /* uint64_t *: bytes, within [min, max] */
	OPTION_PIDS,     /* u32_vec *: N[,N...] */
	OPTION_TIDS,     /* u32_vec *: N[,N...] */
	OPTION_CPUS,     /* u32_vec *: N[,N|A-B...] */
	OPTION_CHOICE,   /* unsigned int * or an enum's: the place of one of the row's words */
	OPTION_PARSED,   /* a type of the program's own; the row's parse function fills it */
};

/* What the completion asks this host for, in place of a value's words. */
enum option_offer {
	OFFER_NOTHING = 0,
	OFFER_PIDS,   /* of processes that run */
	OFFER_EVENTS, /* what the program's --list prints */
};

/* One option. */
struct option_spec {
	const char *name; /* long name, without the dashes */
	char short_name;  /* 0: none */
	enum option_type type;
	size_t offset; /* of the target, in the struct that the table fills */
	const char *metavar;
	unsigned long long min, max; /* of numbers */
	const char *help;            /* one sentence, no full stop */
	int exclusive;               /* two given options of one group are an error; 0: no group */

	/*
	 * For OPTION_PARSED. parse returns 0 or a negative errno. The error then says that the text
	 * is not of this kind, for example "a time", and adds the hint, which may be NULL.
	 */
	int (*parse)(const char *text, void *target);
	const char *kind, *hint;

	/* Writes what follows the help, from a table of the program's own. May be NULL. */
	void (*help_more)(FILE *f);
	/*
	 * For OPTION_CHOICE the words of which the value is one. For OPTION_PARSED, those that it
	 * can be or, with commas between them, have; an error about the value then names them,
	 * unless all of its words are known. The completion offers them. May be empty.
	 */
	struct word_list words;
	enum option_offer offer;
};

/* A row for the @field of the struct @filled; more designated initialisers may follow. */
#define OPTION_ROW(filled, option_type, field, long_name, short_char, ...)                         \
	{                                                                                          \
		.name = long_name, .short_name = short_char, .type = option_type,                  \
		.offset = offsetof(filled, field), __VA_ARGS__                                     \
	}

/* The words of a row, in the order of the enum's values. */
#define OPTION_NAMES(...)                                                                          \
	{                                                                                          \
		.names = (const char *const[])                                                     \
		{                                                                                  \
			__VA_ARGS__, NULL                                                          \
		}                                                                                  \
	}

/* The number that @constant stands for, as a part of a help text. */
#define OPTION_TEXT(constant)  OPTION_TEXT_(constant)
#define OPTION_TEXT_(constant) #constant

/* Options that fill one struct. Several commands can include one table. */
struct option_table {
	const struct option_spec *options;
	size_t nr;
	/*
	 * What --help and the man page print above the options: a few words, in lower case. Tables
	 * that follow each other under one heading are printed as one; NULL: "options".
	 */
	const char *heading;
	/*
	 * Checks the filled struct after the last option. May be NULL. Returns 0 or a negative
	 * errno with @err set.
	 */
	int (*check)(const void *target, struct err *err);
};

/* A table that a command includes, and the offset of the table's struct in the command's struct. */
struct option_part {
	const struct option_table *table;
	size_t offset;
};

#define OPTION_PARTS_MAX 14

struct command_spec {
	/* the word that chooses the command; NULL: the program has no such words */
	const char *name;
	const char *summary;  /* one sentence, no full stop */
	const char *usage;    /* the usage line after the name */
	const char *examples; /* lines of "command # its effect" */
	/* the first one without a table ends the list */
	struct option_part parts[OPTION_PARTS_MAX + 1];
	bool takes_command;           /* words after -- are a command to run */
	struct word_list first_words; /* the first operand is one of them; empty: any text */
};

/* A word that belongs to another tool: a command, or an option with its dashes. */
struct foreign_word {
	const char *word;
	const char *hint; /* the way here to the same end */
};

/*
 * A program. If the user names no command, the first one runs. A program with a single command
 * takes no such words, and its --help shows the program's usage with that command's options.
 */
struct program_spec {
	const char *name;
	const char *summary; /* the NAME line of the man page */
	const char *usage, *examples;
	void (*print_parts)(void); /* the second line of --version; NULL: there is none */
	const struct command_spec *const *commands;
	size_t nr_commands;
	/* Errors about these words have their hints. The first one without a word ends the list. */
	const struct foreign_word *foreign_words;
};

/*
 * Returns option @i of @command, counted through all its tables, NULL after the last. Sets
 * *@offset, if @offset is not NULL, to the offset of the target in the command's struct.
 */
const struct option_spec *command_option(const struct command_spec *command, size_t i,
					 size_t *offset);

/* Returns the command that @word chooses, NULL if none has this name. */
const struct command_spec *program_find_command(const struct program_spec *program,
						const char *word);

/*
 * Returns the hint for @word of another tool, an option or a command; a value after '=' does not
 * count. Returns NULL if the program knows nothing of the word.
 */
const char *program_foreign_hint(const struct program_spec *program, const char *word);

/* Returns the name of the command for which @word may be a slip, NULL if there is none. */
const char *program_similar_command(const struct program_spec *program, const char *word);

static inline bool program_has_commands(const struct program_spec *program)
{
	return program->nr_commands > 1;
}

static inline bool option_has_words(const struct option_spec *opt)
{
	return opt->words.names || opt->words.word;
}

static inline bool option_has_value(const struct option_spec *opt)
{
	return opt->type != OPTION_FLAG;
}

/* What lengths of time and sizes may look like, for errors. */
#define OPTION_DURATION_HINT "a number of seconds, or with a unit: 500ms, 30s, 2m, 1h"
#define OPTION_SIZE_HINT     "a number of bytes, or with a unit for powers of 1024: 64K, 1M, 2G"

/* An option that every command has. */
struct common_option {
	const char *name;
	char short_name;  /* 0: none */
	const char *help; /* NULL: the option is for the build, and no list shows it */
};

enum common_option_id {
	COMMON_OPTION_HELP,
	COMMON_OPTION_VERSION,
	COMMON_OPTION_HELP_MAN,
	COMMON_OPTION_HELP_COMPLETION,
	COMMON_OPTION_HELP_ZSH,
	COMMON_OPTION_HELP_FISH,
	NR_COMMON_OPTIONS,
};

extern const struct common_option common_options[NR_COMMON_OPTIONS];

#endif
