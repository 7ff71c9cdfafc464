// SPDX-License-Identifier: GPL-2.0-or-later
/* The completion in zsh: a function that calls _arguments with the options of the command. */
#include "common/completion.h"

#include <stdio.h>
#include <string.h>

/* Prints @text within quotes; zsh wants a backslash before each of @special. */
static void print_escaped(const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'') {
			printf("'\\''");
			continue;
		}
		if (strchr(special, *text))
			putchar('\\');
		putchar(*text);
	}
}

/* Prints what follows an option. Values of OPTION_PARSED can be several words with commas. */
static void print_value(const struct option_spec *opt)
{
	if (!option_has_value(opt))
		return;
	putchar(':');
	print_escaped(opt->metavar, ":[]\\");
	putchar(':');
	if (!option_has_words(opt)) {
		printf("%s", completion_takes_path(opt) ? "_files"
			     : opt->offer == OFFER_PIDS ? "_pids"
							: " ");
		return;
	}
	printf(opt->type == OPTION_PARSED ? "_sequence compadd - " : "(");
	completion_print_list(&opt->words, " ");
	if (opt->type != OPTION_PARSED)
		putchar(')');
}

/* Prints one spelling of an option. */
static void print_spelling(const char *dashes, const char *name, const char *sign, const char *help,
			   const struct option_spec *opt)
{
	bool is_repeated = opt && (opt->type == OPTION_STRINGS || opt->type == OPTION_WORDS ||
				   opt->type == OPTION_PARSED);

	printf(" \\\n\t\t'%s%s%s%s[", is_repeated ? "*" : "", dashes, name, sign);
	print_escaped(help, ":[]\\");
	putchar(']');
	if (opt)
		print_value(opt);
	putchar('\'');
}

static void print_option(const char *name, char short_name, const char *help,
			 const struct option_spec *opt)
{
	const char letter[2] = {short_name, '\0'};
	bool has_value = opt && option_has_value(opt);

	print_spelling("--", name, has_value ? "=" : "", help, opt);
	if (short_name)
		print_spelling("-", letter, has_value ? "+" : "", help, opt);
}

static void print_command(const struct command_spec *command)
{
	const struct option_spec *opt;

	printf("_arguments -s -S");
	for (size_t i = 0; (opt = command_option(command, i, NULL)); i++)
		print_option(opt->name, opt->short_name, opt->help, opt);
	for (int i = 0; i < NR_COMMON_OPTIONS; i++)
		if (common_options[i].help)
			print_option(common_options[i].name, common_options[i].short_name,
				     common_options[i].help, NULL);
	if (word_list_get(&command->first_words, 0)) {
		printf(" \\\n\t\t'1:word:(");
		completion_print_list(&command->first_words, " ");
		printf(")'");
	}
	printf(" \\\n\t\t'*:file:_files'\n");
}

static void print_commands(const struct program_spec *program)
{
	printf("\tlocal -a commands=(");
	for (size_t i = 0; i < program->nr_commands; i++) {
		printf("\n\t\t'%s:", program->commands[i]->name);
		print_escaped(program->commands[i]->summary, ":\\");
		putchar('\'');
	}
	printf("\n\t)\n"
	       "\tif ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n"
	       "\t\t_describe -t commands command commands\n"
	       "\t\tcompadd help\n"
	       "\t\t_files\n"
	       "\t\treturn\n"
	       "\tfi\n"
	       "\tcase $words[2] in\n"
	       "\thelp)\n"
	       "\t\t_describe -t commands command commands\n"
	       "\t\t;;\n");
	for (size_t i = 1; i < program->nr_commands; i++) {
		printf("\t%s)\n\t\tshift words; ((CURRENT--))\n\t\t", program->commands[i]->name);
		print_command(program->commands[i]);
		printf("\t\t;;\n");
	}
	printf("\t*)\n\t\t");
	print_command(program->commands[0]);
	printf("\t\t;;\n\tesac\n");
}

void completion_print_zsh(const struct program_spec *program)
{
	const char *name = program->name;

	printf("#compdef %s\n"
	       "# zsh completion for %s; made by '%s --help-zsh'.\n"
	       "_%s()\n"
	       "{\n",
	       name, name, name, name);
	if (program->commands[0]->takes_command)
		printf("\tlocal at=${words[(i)--]}\n"
		       "\tif ((at < CURRENT)); then\n"
		       "\t\tshift $at words; ((CURRENT -= at))\n"
		       "\t\t_normal\n"
		       "\t\treturn\n"
		       "\tfi\n");
	if (program_has_commands(program)) {
		print_commands(program);
	} else {
		putchar('\t');
		print_command(program->commands[0]);
	}
	printf("}\n"
	       "_%s \"$@\"\n",
	       name);
}
