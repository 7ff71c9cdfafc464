// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/completion.h"

#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"

bool completion_takes_path(const struct option_spec *opt)
{
	static const char *const metavars[] = {"FILE", "PATH", "DIR"};

	size_t len = strcspn(opt->metavar, "|"); /* of the first word: PATH|NAME */

	for (size_t i = 0; i < ARRAY_SIZE(metavars); i++)
		if (strlen(metavars[i]) == len && !strncmp(opt->metavar, metavars[i], len))
			return true;
	return false;
}

void completion_print_list(const struct word_list *list, const char *separator)
{
	const char *word;

	for (size_t i = 0; (word = word_list_get(list, i)); i++)
		printf("%s%s", i ? separator : "", word);
}

static void print_names(const char *name, char short_name, const char *separator)
{
	printf("--%s", name);
	if (short_name)
		printf("%s-%c", separator, short_name);
}

/* Prints the words that @opt's value can have. Those before the last comma stay as they are. */
static void print_words(const struct option_spec *opt, const char *indent)
{
	printf("%s", indent);
	print_names(opt->name, opt->short_name, " | ");
	printf(") mapfile -t COMPREPLY < <(compgen -P \"${word%%\"${word##*,}\"}\" -W '");
	completion_print_list(&opt->words, " ");
	printf("' -- \"${word##*,}\"); compopt +o default 2> /dev/null; return ;;\n");
}

/* Has @opt values that are asked for? */
static bool is_asked_for(const struct option_spec *opt)
{
	return opt->offer != OFFER_NOTHING;
}

static void print_pids(const struct option_spec *opt, const char *indent)
{
	printf("%s", indent);
	print_names(opt->name, opt->short_name, " | ");
	printf(") mapfile -t COMPREPLY < <(compgen -P \"${word%%\"${word##*,}\"}\" -W \"$(cd /proc && echo [0-9]*)\" -- \"${word##*,}\"); compopt +o default 2> /dev/null; return ;;\n");
}

/* bash replaces what follows the last colon, if a colon ends words. */
static void print_events(const struct option_spec *opt, const char *indent)
{
	printf("%s", indent);
	print_names(opt->name, opt->short_name, " | ");
	printf(")\n"
	       "%s\tlocal name kept=''\n"
	       "%s\t[[ $COMP_WORDBREAKS != *:* ]] || kept=${typed%%\"${typed##*:}\"}\n"
	       "%s\twhile read -r name; do\n"
	       "%s\t\t[[ $name != \"$typed\"* ]] || COMPREPLY+=(\"${name#\"$kept\"}\")\n"
	       "%s\tdone < <(\"${COMP_WORDS[0]}\" --list ${typed:+\"$typed*\"} 2> /dev/null)\n"
	       "%s\tcompopt +o default 2> /dev/null\n"
	       "%s\treturn ;;\n",
	       indent, indent, indent, indent, indent, indent, indent);
}

/*
 * Prints a branch for all options whose value is a path, or for all other options with a value, but
 * not for those whose values are known words.
 */
static void print_branch(const struct command_spec *command, bool path, const char *indent,
			 const char *action)
{
	const struct option_spec *opt;
	const char *separator = "";

	for (size_t i = 0; (opt = command_option(command, i, NULL)); i++) {
		if (!option_has_value(opt) || option_has_words(opt) || is_asked_for(opt) ||
		    completion_takes_path(opt) != path)
			continue;
		printf("%s", separator[0] ? separator : indent);
		print_names(opt->name, opt->short_name, " | ");
		separator = " | ";
	}
	if (separator[0])
		printf(") %s ;;\n", action);
}

/* Offers the words that the first operand can be, as long as none of them was given. */
static void print_first_words(const struct command_spec *command, const char *indent)
{
	printf("%sif [[ $word != -* && \" ${COMP_WORDS[*]:2:COMP_CWORD-2} \" != *\" \"@(", indent);
	completion_print_list(&command->first_words, "|");
	printf(")\" \"* ]]; then\n%s\tmapfile -t COMPREPLY < <(compgen -W '", indent);
	completion_print_list(&command->first_words, " ");
	printf("' -- \"$word\")\n"
	       "%s\tcompopt +o default 2> /dev/null\n"
	       "%s\treturn\n"
	       "%sfi\n",
	       indent, indent, indent);
}

/*
 * Prints the branches in which no options are offered because a value is due. Then sets $options to
 * the command's options.
 */
static void print_command(const struct command_spec *command, const char *indent)
{
	const struct option_spec *opt;

	printf("%scase $before in\n", indent);
	for (size_t i = 0; (opt = command_option(command, i, NULL)); i++)
		if (option_has_words(opt))
			print_words(opt, indent);
		else if (opt->offer == OFFER_PIDS)
			print_pids(opt, indent);
		else if (opt->offer == OFFER_EVENTS)
			print_events(opt, indent);
	print_branch(command, true, indent, "return");
	print_branch(command, false, indent, "compopt +o default 2> /dev/null; return");
	printf("%sesac\n", indent);
	if (word_list_get(&command->first_words, 0))
		print_first_words(command, indent);
	printf("%soptions='", indent);
	for (size_t i = 0; (opt = command_option(command, i, NULL)); i++) {
		print_names(opt->name, opt->short_name, " ");
		putchar(' ');
	}
	for (int i = 0; i < NR_COMMON_OPTIONS; i++) {
		if (!common_options[i].help)
			continue;
		print_names(common_options[i].name, common_options[i].short_name, " ");
		putchar(' ');
	}
	printf("'\n");
}

static void print_command_names(const struct program_spec *program)
{
	for (size_t i = 0; i < program->nr_commands; i++)
		printf("%s%s", i ? " " : "", program->commands[i]->name);
}

/* Offers the words that choose a command, first or after "help". Adds names of files to them. */
static void print_commands(const struct program_spec *program)
{
	printf("\tif [[ $COMP_CWORD -eq 1 && $word != -* ]]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W '");
	print_command_names(program);
	printf(" help' -- \"$word\")\n"
	       "\t\t[ ${#COMPREPLY[@]} -eq 0 ] && return\n"
	       "\t\tmapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$word\")\n"
	       "\t\tcompopt -o filenames 2> /dev/null\n"
	       "\t\treturn\n"
	       "\tfi\n"
	       "\tcase ${COMP_WORDS[1]} in\n"
	       "\thelp)\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W '");
	print_command_names(program);
	printf("' -- \"$word\")\n"
	       "\t\tcompopt +o default 2> /dev/null\n"
	       "\t\treturn\n"
	       "\t\t;;\n");
	for (size_t i = 1; i < program->nr_commands; i++) {
		printf("\t%s)\n", program->commands[i]->name);
		print_command(program->commands[i], "\t\t");
		printf("\t\t;;\n");
	}
	printf("\t*)\n");
	print_command(program->commands[0], "\t\t");
	printf("\t\t;;\n"
	       "\tesac\n");
}

/*
 * Sets $before to the option whose value $word may be. bash makes a word of its own of the '=' in
 * "--output=FILE", and of each ':' in an event: $typed has all words of that.
 */
static void print_context(const struct command_spec *command)
{
	const struct option_spec *opt;
	bool has_events = false;

	for (size_t i = 0; (opt = command_option(command, i, NULL)); i++)
		has_events |= opt->offer == OFFER_EVENTS;
	if (has_events)
		printf("\tlocal typed=$word at=$COMP_CWORD\n"
		       "\twhile ((at > 1)) && [[ ${COMP_WORDS[at]} == : || ${COMP_WORDS[at - 1]} == : ]]; do\n"
		       "\t\ttyped=${COMP_WORDS[at -= 1]}$typed\n"
		       "\tdone\n"
		       "\tbefore=${COMP_WORDS[at - 1]}\n"
		       "\t[ \"$typed\" = = ] && typed=\n"
		       "\t[ \"$before\" = = ] && before=${COMP_WORDS[at - 2]}\n");
	else
		printf("\t[ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD - 2]}\n");
	printf("\t[ \"$word\" = = ] && word=\n");
}

void completion_print(const struct program_spec *program)
{
	const char *name = program->name;

	printf("# shellcheck shell=bash\n"
	       "# bash completion for %s; made by '%s --help-completion'.\n"
	       "_%s()\n"
	       "{\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options\n"
	       "\n"
	       "\tCOMPREPLY=()\n",
	       name, name, name);
	if (program->commands[0]->takes_command)
		printf("\tlocal i\n"
		       "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
		       "\t\t[ \"${COMP_WORDS[i]}\" = -- ] || continue\n"
		       "\t\t((i + 1 == COMP_CWORD)) && mapfile -t COMPREPLY < <(compgen -c -- \"$word\")\n"
		       "\t\treturn\n"
		       "\tdone\n");
	print_context(program->commands[0]);
	if (program_has_commands(program))
		print_commands(program);
	else
		print_command(program->commands[0], "\t");
	printf("\t[[ $word == -* ]] && mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
	       "}\n"
	       "complete -o default -F _%s %s\n",
	       name, name);
}
