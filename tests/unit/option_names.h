/* SPDX-License-Identifier: GPL-2.0-or-later */
/* No two options of a command have one name, because the first would hide the second. */
#ifndef TESTS_UNIT_OPTION_NAMES_H
#define TESTS_UNIT_OPTION_NAMES_H

#include <string.h>

#include "common/option_spec.h"
#include "tests/unit/suite.h"

static void expect_own_name(const struct command_spec *command, const char *name, char short_name,
			    const char *other, char other_short)
{
	ck_assert_msg(strcmp(name, other) != 0, "%s: two options are called --%s",
		      command->name ? command->name : "", name);
	ck_assert_msg(!short_name || short_name != other_short, "%s: both --%s and --%s are -%c",
		      command->name ? command->name : "", name, other, short_name);
}

static void expect_own_names(const struct program_spec *program)
{
	const struct option_spec *option, *other;

	for (size_t c = 0; c < program->nr_commands; c++) {
		const struct command_spec *command = program->commands[c];

		for (size_t i = 0; (option = command_option(command, i, NULL)); i++) {
			for (size_t k = 0; k < i; k++) {
				other = command_option(command, k, NULL);
				expect_own_name(command, option->name, option->short_name,
						other->name, other->short_name);
			}
			for (size_t k = 0; k < NR_COMMON_OPTIONS; k++)
				expect_own_name(command, option->name, option->short_name,
						common_options[k].name,
						common_options[k].short_name);
		}
	}
}

#endif
