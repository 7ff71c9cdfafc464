// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/usage.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMN 34

static void print_help_line(const char *title, const char *help)
{
	if (strlen(title) + 2 >= HELP_COLUMN)
		printf("  %s\n%*s%s\n", title, HELP_COLUMN, "", help);
	else
		printf("  %-*s%s\n", HELP_COLUMN - 2, title, help);
}

/* Prints "-F, --frequency HZ" and the help. */
static void print_option(char short_name, const char *name, const char *metavar, const char *help)
{
	char title[96], letter[] = "-x, ";

	letter[1] = short_name;
	snprintf(title, sizeof(title), "%s--%s%s%s", short_name ? letter : "    ", name,
		 metavar ? " " : "", metavar ? metavar : "");
	print_help_line(title, help);
}

/* man(7) takes '-' for a hyphen unless it is escaped. */
static void print_man_text(const char *s)
{
	for (; *s; s++)
		printf(*s == '-' || *s == '\\' ? "\\%c" : "%c", *s);
}

static void print_man_option(char short_name, const char *name, const char *metavar,
			     const char *help)
{
	printf(".TP\n");
	if (short_name)
		printf("\\fB\\-%c\\fR, ", short_name);
	printf("\\fB\\-\\-");
	print_man_text(name);
	printf("\\fR");
	if (metavar) {
		printf(" \\fI");
		print_man_text(metavar);
		printf("\\fR");
	}
	printf("\n");
	print_man_text(help);
	printf(".\n");
}

typedef void (*option_fn)(char short_name, const char *name, const char *metavar, const char *help);

/* Prints the options of @command and the common ones, but no option without help. */
static void print_options(const struct command_spec *command, option_fn print)
{
	const struct option_spec *opt;

	for (size_t i = 0; (opt = command_option(command, i, NULL)); i++)
		if (opt->type != OPTION_MOVED)
			print(opt->short_name, opt->name,
			      option_has_value(opt) ? opt->metavar : NULL, opt->help);
	for (int i = 0; i < NR_COMMON_OPTIONS; i++)
		if (common_options[i].help)
			print(common_options[i].short_name, common_options[i].name, NULL,
			      common_options[i].help);
}

void usage_print_program(const struct program_spec *program)
{
	const struct command_spec *first = program->commands[0];

	printf("usage: %s %s\n\n%s\n\n", program->name, program->usage, program->summary);
	if (program_has_commands(program)) {
		printf("commands:\n");
		for (size_t i = 0; i < program->nr_commands; i++)
			print_help_line(program->commands[i]->name, program->commands[i]->summary);
		print_help_line("help COMMAND", "show a command's options");
		printf("\noptions of %s, which runs if no command is named:\n", first->name);
	} else {
		printf("options:\n");
	}
	print_options(first, print_option);
	printf("\nexamples:\n%s", program->examples);
}

void usage_print_command(const struct program_spec *program, const struct command_spec *command)
{
	printf("usage: %s %s %s\n\n%s\n\noptions:\n", program->name, command->name, command->usage,
	       command->summary);
	print_options(command, print_option);
	printf("\nexamples:\n%s", command->examples);
}

void usage_print_man(const struct command_spec *command)
{
	print_options(command, print_man_option);
}
