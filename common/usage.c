// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/usage.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

#define HELP_WIDTH     80
#define OPTION_COLUMN  30
#define COMMAND_COLUMN 16

/* Prints words from @column on. A line that would be too long goes on at column @indent. */
static void print_wrapped(const char *text, size_t column, size_t indent)
{
	bool is_first = true;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (!is_first && column + 1 + len > HELP_WIDTH) {
			printf("\n%*s", (int)indent, "");
			column = indent;
		} else if (!is_first) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)len, text);
		column += len;
		text += len + strspn(text + len, " ");
		is_first = false;
	}
	putchar('\n');
}

/* Prints the title, and the help beside it at @column, or below a title that is too long. */
static void print_help_line(const char *title, const char *help, int column)
{
	if (strlen(title) + 3 >= (size_t)column)
		printf("  %s\n%*s", title, column, "");
	else
		printf("  %-*s", column - 2, title);
	print_wrapped(help, column, column);
}

/* Prints "-F, --frequency HZ" and the help. */
static void print_option(char short_name, const char *name, const char *metavar, const char *help)
{
	char title[96], letter[] = "-x, ";

	letter[1] = short_name;
	snprintf(title, sizeof(title), "%s--%s%s%s", short_name ? letter : "    ", name,
		 metavar ? " " : "", metavar ? metavar : "");
	print_help_line(title, help, OPTION_COLUMN);
}

static void print_heading(const char *heading)
{
	printf("\n%s:\n", heading);
}

/* man(7) takes '-' for a hyphen unless it is escaped. */
static void print_man_text(const char *s)
{
	for (; *s; s++)
		printf(*s == '-' || *s == '\\' ? "\\%c" : "%c", *s);
}

/* Prints @s, which begins with an ASCII character, with a capital letter. */
static void print_man_sentence(const char *s)
{
	const char first[] = {(char)toupper((unsigned char)s[0]), '\0'};

	print_man_text(first);
	print_man_text(s + 1);
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
	print_man_sentence(help);
	printf(".\n");
}

static void print_man_heading(const char *heading)
{
	printf(".PP\n.B ");
	print_man_sentence(heading);
	printf("\n");
}

/* The two forms of a list of options. */
struct list_form {
	void (*heading)(const char *heading);
	void (*option)(char short_name, const char *name, const char *metavar, const char *help);
};

static const struct list_form help_form = {print_heading, print_option};
static const struct list_form man_form = {print_man_heading, print_man_option};

/* The whole help of the option, in memory of its own; NULL: there is no memory. */
static char *help_text(const struct option_spec *opt)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fputs(opt->help, f);
	if (opt->help_more)
		opt->help_more(f);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

static void print_spec(const struct option_spec *opt, const struct list_form *form)
{
	_cleanup_free_ char *help = help_text(opt);

	form->option(opt->short_name, opt->name, option_has_value(opt) ? opt->metavar : NULL,
		     help ? help : opt->help);
}

static bool has_table(const struct command_spec *command, const struct option_table *table)
{
	for (const struct option_part *part = command->parts; part->table; part++)
		if (part->table == table)
			return true;
	return false;
}

/* Prints the tables of @command, but none that @described has, which may be NULL. */
static void print_tables(const struct command_spec *command, const struct command_spec *described,
			 const struct list_form *form)
{
	const char *before = "";

	for (const struct option_part *part = command->parts; part->table; part++) {
		const struct option_table *table = part->table;
		const char *heading = table->heading ? table->heading : "options";

		if (described && has_table(described, table))
			continue;
		if (strcmp(heading, before))
			form->heading(heading);
		before = heading;
		for (size_t i = 0; i < table->nr; i++)
			print_spec(&table->options[i], form);
	}
}

/* Prints the options that every command has, but none without help. */
static void print_common_options(const struct list_form *form)
{
	form->heading("general");
	for (int i = 0; i < NR_COMMON_OPTIONS; i++)
		if (common_options[i].help)
			form->option(common_options[i].short_name, common_options[i].name, NULL,
				     common_options[i].help);
}

static void print_options(const struct command_spec *command)
{
	print_tables(command, NULL, &help_form);
	print_common_options(&help_form);
}

void usage_print_program(const struct program_spec *program)
{
	const struct command_spec *first = program->commands[0];

	printf("usage: %s %s\n\n", program->name, program->usage);
	print_wrapped(program->summary, 0, 0);
	if (program_has_commands(program)) {
		printf("\ncommands:\n");
		for (size_t i = 0; i < program->nr_commands; i++)
			print_help_line(program->commands[i]->name, program->commands[i]->summary,
					COMMAND_COLUMN);
		print_help_line("help COMMAND", "show a command's options", COMMAND_COLUMN);
		printf("\nIf no command is named, %s runs. It has these options:\n", first->name);
	}
	print_options(first);
	printf("\nexamples:\n%s", program->examples);
}

void usage_print_command(const struct program_spec *program, const struct command_spec *command)
{
	printf("usage: %s %s %s\n\n", program->name, command->name, command->usage);
	print_wrapped(command->summary, 0, 0);
	print_options(command);
	printf("\nexamples:\n%s", command->examples);
}

/* Prints a name of the list of those that are described elsewhere. */
static void print_man_name(const char *name, const char *separator)
{
	printf("%s\\fB\\-\\-", separator);
	print_man_text(name);
	printf("\\fR");
}

void usage_print_man(const struct program_spec *program, const struct command_spec *command)
{
	const struct command_spec *first = program->commands[0];
	const char *separator = "";

	print_tables(command, command == first ? NULL : first, &man_form);
	if (command == first) {
		print_common_options(&man_form);
		return;
	}
	printf(".PP\nAs for \\fB%s\\fR: ", first->name);
	for (const struct option_part *part = command->parts; part->table; part++) {
		for (size_t i = 0; i < part->table->nr && has_table(first, part->table); i++) {
			print_man_name(part->table->options[i].name, separator);
			separator = ", ";
		}
	}
	for (int i = 0; i < NR_COMMON_OPTIONS; i++) {
		if (!common_options[i].help)
			continue;
		print_man_name(common_options[i].name, separator);
		separator = ", ";
	}
	printf(".\n");
}
