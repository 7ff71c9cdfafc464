/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a program's command line: the word that chooses a command, its options, its operands.
 * Answers --help and --version, and four options for the build. --help-man prints the option list
 * in man(7) form; --help-completion prints a script for bash, --help-zsh and --help-fish one for
 * these shells.
 */
#ifndef COMMON_COMMAND_LINE_H
#define COMMON_COMMAND_LINE_H

#include "common/options.h"

struct command_line {
	const struct program_spec *program;
	const struct command_spec *command;
	bool is_named;   /* the user gave the command's word */
	bool asks_help;  /* the user asked for "help COMMAND" */
	int argc;        /* without the command's word */
	char **argv;     /* the first word is not looked at */
	int nr_operands; /* set by command_line_parse, like operands */
	char **operands; /* words of argv, which getopt_long reordered */
};

/*
 * Finds the command whose name is the first word; without one, the program's first command. "help
 * COMMAND" stands for "COMMAND --help". Returns 0, or -EINVAL with @err set.
 */
int command_line_choose(struct command_line *line, const struct program_spec *program, int argc,
			char **argv, struct err *err);

/*
 * Fills the command's option struct at @target. Prints help and version to stdout. Returns
 * OPTIONS_RUN or OPTIONS_DONE, or -EINVAL or -ENOMEM with @err set.
 */
int command_line_parse(struct command_line *line, void *target, struct err *err);

/* Adds a hint that names --help, if @ret is -EINVAL and @err has no hint. Returns @ret. */
int command_line_hint(const struct command_line *line, int ret, struct err *err);

#endif
