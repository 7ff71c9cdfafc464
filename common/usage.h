/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints --help of a program and of its commands, and the option lists of the man page. */
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

/* Prints @command's options to stdout, in man(7) form. */
void usage_print_man(const struct command_spec *command);

#endif
