/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the completion of a program's command line in bash from its option tables. */
#ifndef COMMON_COMPLETION_H
#define COMMON_COMPLETION_H

#include "common/option_spec.h"

/*
 * Prints a script to stdout. bash sources it, or bash-completion finds it under the program's name.
 */
void completion_print(const struct program_spec *program);

#endif
