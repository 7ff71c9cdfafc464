/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The operand FUNCTION of commands that take one before the recordings. */
#ifndef REPORT_COMMANDS_FUNCTION_OPERAND_H
#define REPORT_COMMANDS_FUNCTION_OPERAND_H

#include "common/err.h"
#include "report/commands/commands.h"

/*
 * Takes the function and the recordings from the @nr @operands of @command. Returns 0, or -EINVAL
 * with @err set.
 */
int function_operand_take(const char *command, int nr, char **operands, const char **function,
			  struct operands *files, struct err *err);

#endif
