// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/commands/function_operand.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Returns true if @word is the name of a recording, where a function was to be named. */
static bool is_recording(const char *word)
{
	const char *suffix = strrchr(word, '.');

	return suffix && !strcmp(suffix, ".prof") && !access(word, F_OK);
}

/*
 * Checks that the function stands before the recordings. A file may be called like a function, so
 * that only one beside a word that is no file is out of place.
 */
static int check_order(const char *command, int nr, char **operands, struct err *err)
{
	const char *last = operands[nr - 1];
	bool is_swapped = nr > 1 && last[0] != '@' && strcmp(last, "-") != 0 &&
			  !access(operands[0], F_OK) && access(last, F_OK) && errno == ENOENT;

	if (!is_swapped && !(nr == 1 && is_recording(last)))
		return 0;
	err_set(err, -EINVAL, "command %s: needs the function before the recordings, not '%s'",
		command, operands[0]);
	return err_hint(err, -EINVAL, "'profrep %s %s %s'", command, nr > 1 ? last : "FUNCTION",
			operands[0]);
}

int function_operand_take(const char *command, int nr, char **operands, const char **function,
			  struct operands *files, struct err *err)
{
	if (!nr || !operands[0][0])
		return err_set(err, -EINVAL, "command %s: needs a function", command);
	if (check_order(command, nr, operands, err))
		return -EINVAL;
	*function = operands[0];
	*files = (struct operands){operands + 1, nr - 1};
	return 0;
}
