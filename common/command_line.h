/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program's command line: the word that chooses a command, its options, its operands. Answers
 * --help, --version and, for the build, --help-man (the option list in man(7) form) and
 * --help-completion (a script for bash).
 */
#ifndef COMMON_COMMAND_LINE_H
#define COMMON_COMMAND_LINE_H

#include "common/options.h"

struct command_line {
	const struct program_spec *program;
	const struct command_spec *command;
	bool is_named;   /* the command's word was given */
	bool asks_help;  /* with "help COMMAND" */
	int argc;        /* without the command's word */
	char **argv;     /* the first is not looked at */
	int nr_operands; /* set by command_line_parse */
	char **operands; /* in argv, which getopt_long reordered */
};

/*
 * Finds the command: the one whose name is the first word, or the program's first. "help COMMAND"
 * stands for "COMMAND --help". Returns 0 or -EINVAL with @err set.
 */
int command_line_choose(struct command_line *line, const struct program_spec *program, int argc,
			char **argv, struct err *err);

/*
 * Fills the command's option struct at @target. Help and version are printed to stdout. Returns
 * OPTIONS_RUN or OPTIONS_DONE, or -EINVAL or -ENOMEM with @err set.
 */
int command_line_parse(struct command_line *line, void *target, struct err *err);

/* Adds the hint that names --help to the error @ret, if it is -EINVAL without a hint. Returns @ret.
 */
int command_line_hint(const struct command_line *line, int ret, struct err *err);

#endif
