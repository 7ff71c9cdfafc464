// SPDX-License-Identifier: GPL-2.0-or-later
/* The completion in fish: a line for each command and for each option of one. */
#include "common/completion.h"

#include <stdio.h>
#include <string.h>

/* Prints @text in quotes. */
static void print_quoted(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('\'');
}

/* Prints the beginning of a line: for which words before the cursor it holds. */
static void print_condition(const struct program_spec *program, const struct command_spec *command)
{
	printf("complete -c %s", program->name);
	if (!program_has_commands(program))
		return;
	if (command != program->commands[0]) {
		printf(" -n '__fish_seen_subcommand_from %s'", command->name);
		return;
	}
	printf(" -n 'not __fish_seen_subcommand_from");
	for (size_t i = 1; i < program->nr_commands; i++)
		printf(" %s", program->commands[i]->name);
	printf(" help'");
}

static void print_option(const char *name, char short_name, const char *help)
{
	printf(" -l %s", name);
	if (short_name)
		printf(" -s %c", short_name);
	printf(" -d ");
	print_quoted(help);
}

static void print_value(const struct option_spec *opt)
{
	if (!option_has_value(opt))
		return;
	if (!option_has_words(opt)) {
		printf(completion_takes_path(opt) ? " -r -F"
		       : opt->offer == OFFER_PIDS ? " -x -a '(__fish_complete_pids)'"
						  : " -x");
		return;
	}
	printf(" -x -a '");
	completion_print_list(&opt->words, " ");
	putchar('\'');
}

/* Offers the words that the first operand can be, as long as none of them was given. */
static void print_first_words(const struct program_spec *program,
			      const struct command_spec *command)
{
	printf("complete -c %s -n '__fish_seen_subcommand_from %s; and not __fish_seen_subcommand_from ",
	       program->name, command->name);
	completion_print_list(&command->first_words, " ");
	printf("' -f -a '");
	completion_print_list(&command->first_words, " ");
	printf("'\n");
}

static void print_command(const struct program_spec *program, const struct command_spec *command)
{
	const struct option_spec *opt;

	for (size_t i = 0; (opt = command_option(command, i, NULL)); i++) {
		print_condition(program, command);
		print_option(opt->name, opt->short_name, opt->help);
		print_value(opt);
		putchar('\n');
	}
	if (word_list_get(&command->first_words, 0))
		print_first_words(program, command);
	for (int i = 0; i < NR_COMMON_OPTIONS; i++) {
		if (!common_options[i].help)
			continue;
		print_condition(program, command);
		print_option(common_options[i].name, common_options[i].short_name,
			     common_options[i].help);
		putchar('\n');
	}
}

void completion_print_fish(const struct program_spec *program)
{
	printf("# fish completion for %s; made by '%s --help-fish'.\n", program->name,
	       program->name);
	for (size_t i = 0; program_has_commands(program) && i < program->nr_commands; i++) {
		const struct command_spec *command = program->commands[i];

		printf("complete -c %s -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -a %s -d ",
		       program->name, command->name);
		print_quoted(command->summary);
		putchar('\n');
	}
	if (program_has_commands(program))
		printf("complete -c %s -n __fish_use_subcommand -a help -d 'print the help of a command'\n",
		       program->name);
	for (size_t i = 0; i < program->nr_commands; i++)
		print_command(program, program->commands[i]);
}
