// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/completion.h"

#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"

/* Is the value the name of a file? */
static bool is_path(const struct option_spec *opt)
{
	static const char *const metavars[] = {"FILE", "PATH", "DIR"};

	for (size_t i = 0; i < ARRAY_SIZE(metavars); i++)
		if (!strcmp(opt->metavar, metavars[i]))
			return true;
	return false;
}

static void print_names(const struct option_spec *opt, const char *separator)
{
	printf("--%s", opt->name);
	if (opt->short_name)
		printf("%s-%c", separator, opt->short_name);
}

/* A branch for all options whose value is a path, or is none. */
static void print_branch(const struct program_spec *program, bool path, const char *action)
{
	const char *separator = "";

	for (size_t i = 0; i < program->nr_options; i++) {
		const struct option_spec *opt = &program->options[i];

		if (opt->type == OPTION_FLAG || is_path(opt) != path)
			continue;
		printf("%s", separator[0] ? separator : "\t");
		print_names(opt, " | ");
		separator = " | ";
	}
	if (separator[0])
		printf(") %s ;;\n", action);
}

void completion_print(const struct program_spec *program)
{
	const char *name = program->name;

	printf("# shellcheck shell=bash\n"
	       "# bash completion for %s; made by '%s --help-completion'.\n"
	       "_%s()\n"
	       "{\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
	       "\n"
	       "\tCOMPREPLY=()\n",
	       name, name, name);
	if (program->takes_command)
		printf("\tlocal i\n"
		       "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
		       "\t\t[ \"${COMP_WORDS[i]}\" = -- ] || continue\n"
		       "\t\t((i + 1 == COMP_CWORD)) && mapfile -t COMPREPLY < <(compgen -c -- \"$word\")\n"
		       "\t\treturn\n"
		       "\tdone\n");
	/* bash takes the '=' of "--output=FILE" for a word of its own. */
	printf("\t[ \"$word\" = = ] && word=\n"
	       "\t[ \"$before\" = = ] && before=${COMP_WORDS[COMP_CWORD - 2]}\n"
	       "\tcase $before in\n");
	print_branch(program, true, "return");
	print_branch(program, false, "compopt +o default 2> /dev/null; return");
	printf("\tesac\n"
	       "\t[[ $word == -* ]] && mapfile -t COMPREPLY < <(compgen -W '");
	for (size_t i = 0; i < program->nr_options; i++) {
		print_names(&program->options[i], " ");
		putchar(' ');
	}
	printf("--help -h --version' -- \"$word\")\n"
	       "}\n"
	       "complete -o default -F _%s %s\n",
	       name, name);
}
