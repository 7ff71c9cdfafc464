/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints --help of a program and of its commands, and the option lists of the man page. Options
 * stand under the headings of their tables. No line of --help is longer than 80 columns, unless a
 * usage line or an example is.
 */
#ifndef COMMON_USAGE_H
#define COMMON_USAGE_H

#include "common/option_spec.h"

/*
 * Prints usage, commands if the program has several, the first command's options, and examples to
 * stdout.
 */
void usage_print_program(const struct program_spec *program);

/* Prints usage, options and examples of one of several commands to stdout. */
void usage_print_command(const struct program_spec *program, const struct command_spec *command);

/*
 * Prints @command's options to stdout, in man(7) form. Of a table that the program's first command
 * has as well, it prints only the names, because the man page describes them there.
 */
void usage_print_man(const struct program_spec *program, const struct command_spec *command);

#endif
