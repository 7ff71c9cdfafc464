/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the options of one command by its tables, with getopt_long. */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include "common/err.h"
#include "common/option_spec.h"

enum options_result {
	OPTIONS_RUN = 0, /* go on */
	OPTIONS_DONE,    /* --help or --version was printed: exit 0 */
	OPTIONS_COMMON,  /* plus enum common_option_id: that option was given */
};

/* The words of a command line. */
struct option_words {
	int argc;
	char **argv;    /* getopt_long reorders the words; it does not look at the first */
	int first;      /* options_parse sets it to the index of the first operand */
	const char *as; /* the command's name in hints: "profrep diff" */
	const struct program_spec *program; /* knows options of other tools */
};

/*
 * Fills @command's struct at @target from @words. Stops at the first of the common options, and
 * leaves the answer to the caller. Returns OPTIONS_RUN, OPTIONS_COMMON plus an id, or -EINVAL or
 * -ENOMEM with @err set.
 */
int options_parse(const struct command_spec *command, struct option_words *words, void *target,
		  struct err *err);

/* Checks the structs that @command's tables filled. Returns 0 or a negative errno with @err set. */
int options_check(const struct command_spec *command, const void *target, struct err *err);

/* Releases the lists that options_parse filled in @target. Other memory is the program's own. */
void options_release(const struct command_spec *command, void *target);

/* The version of both programs. */
#define PROFREC_VERSION "0.1.0"

#endif
