// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/command_line.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commit.h"
#include "common/completion.h"
#include "common/usage.h"

#define TITLE_SIZE 64

/* Writes "profrep", or "profrep diff" if the user gave the word. */
static void format_title(const struct command_line *line, char title[TITLE_SIZE])
{
	snprintf(title, TITLE_SIZE, "%s%s%s", line->program->name, line->is_named ? " " : "",
		 line->is_named ? line->command->name : "");
}

static int choose_for_help(struct command_line *line, struct err *err)
{
	const char *word = line->argc > 2 ? line->argv[2] : NULL;
	const struct command_spec *command =
		word ? program_find_command(line->program, word) : NULL;

	line->asks_help = true;
	if (!word)
		return 0;
	if (!command) {
		const char *similar = program_similar_command(line->program, word);

		if (similar)
			return err_set(err, -EINVAL, "unknown command '%s'; did you mean '%s'?",
				       word, similar);
		err_set(err, -EINVAL, "unknown command '%s'", word);
		return command_line_hint(line, -EINVAL, err);
	}
	line->command = command;
	line->is_named = true;
	return 0;
}

int command_line_choose(struct command_line *line, const struct program_spec *program, int argc,
			char **argv, struct err *err)
{
	const char *word = argc > 1 ? argv[1] : "";
	const struct command_spec *command = program_find_command(program, word);

	*line = (struct command_line){
		.program = program,
		.command = program->commands[0],
		.argc = argc,
		.argv = argv,
	};
	if (command) {
		line->command = command;
		line->is_named = true;
		line->argc--;
		line->argv++;
		return 0;
	}
	if (program_has_commands(program) && !strcmp(word, "help"))
		return choose_for_help(line, err);
	return 0;
}

static void print_help(const struct command_line *line)
{
	if (line->is_named)
		usage_print_command(line->program, line->command);
	else
		usage_print_program(line->program);
}

static void give_answer(const struct command_line *line, enum common_option_id id)
{
	switch (id) {
	case COMMON_OPTION_HELP:
		print_help(line);
		break;
	case COMMON_OPTION_VERSION:
		printf("%s %s%s\n", line->program->name, PROFREC_VERSION, PROFREC_COMMIT);
		if (line->program->print_parts)
			line->program->print_parts();
		break;
	case COMMON_OPTION_HELP_MAN:
		usage_print_man(line->program, line->command);
		break;
	case COMMON_OPTION_HELP_COMPLETION:
		completion_print(line->program);
		break;
	case COMMON_OPTION_HELP_ZSH:
		completion_print_zsh(line->program);
		break;
	case COMMON_OPTION_HELP_FISH:
		completion_print_fish(line->program);
		break;
	case NR_COMMON_OPTIONS:
		break;
	}
}

int command_line_parse(struct command_line *line, void *target, struct err *err)
{
	char title[TITLE_SIZE];
	struct option_words words = {
		.argc = line->argc,
		.argv = line->argv,
		.as = title,
		.program = line->program,
	};
	int ret;

	format_title(line, title);
	ret = line->asks_help ? OPTIONS_COMMON + COMMON_OPTION_HELP
			      : options_parse(line->command, &words, target, err);
	if (ret >= OPTIONS_COMMON) {
		give_answer(line, ret - OPTIONS_COMMON);
		return OPTIONS_DONE;
	}
	if (ret)
		return ret;
	line->nr_operands = line->argc - words.first;
	line->operands = line->argv + words.first;
	return command_line_hint(line, options_check(line->command, target, err), err);
}

int command_line_hint(const struct command_line *line, int ret, struct err *err)
{
	char title[TITLE_SIZE];

	if (ret != -EINVAL || !err || err->hint[0])
		return ret;
	format_title(line, title);
	return err_hint(err, ret, "'%s --help' shows the usage", title);
}
