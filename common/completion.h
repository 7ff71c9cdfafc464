/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the completion of a program's command line in bash, zsh and fish from its option tables. */
#ifndef COMMON_COMPLETION_H
#define COMMON_COMPLETION_H

#include "common/option_spec.h"

/*
 * Prints a script to stdout. bash sources it, or bash-completion finds it under the program's name.
 */
void completion_print(const struct program_spec *program);

/* Prints a function for zsh, which finds it as the file _PROGRAM in its fpath. */
void completion_print_zsh(const struct program_spec *program);

/* Prints commands for fish, which finds them in the file PROGRAM.fish. */
void completion_print_fish(const struct program_spec *program);

/* Returns true if the option's value is the name of a file. */
bool completion_takes_path(const struct option_spec *opt);

/* Prints the words of @list with @separator between them. */
void completion_print_list(const struct word_list *list, const char *separator);

#endif
