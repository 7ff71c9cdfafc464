// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/option_spec.h"

#include <string.h>

const struct common_option common_options[NR_COMMON_OPTIONS] = {
	[COMMON_OPTION_HELP] = {"help", 'h', "show this help and exit"},
	[COMMON_OPTION_VERSION] = {"version", 0, "show the version and exit"},
	[COMMON_OPTION_HELP_MAN] = {"help-man", 0, NULL},
	[COMMON_OPTION_HELP_COMPLETION] = {"help-completion", 0, NULL},
	[COMMON_OPTION_HELP_ZSH] = {"help-zsh", 0, NULL},
	[COMMON_OPTION_HELP_FISH] = {"help-fish", 0, NULL},
};

const struct option_spec *command_option(const struct command_spec *command, size_t i,
					 size_t *offset)
{
	for (const struct option_part *part = command->parts; part->table; part++) {
		if (i < part->table->nr) {
			if (offset)
				*offset = part->offset + part->table->options[i].offset;
			return &part->table->options[i];
		}
		i -= part->table->nr;
	}
	return NULL;
}

const struct command_spec *program_find_command(const struct program_spec *program,
						const char *word)
{
	for (size_t i = 0; program_has_commands(program) && i < program->nr_commands; i++)
		if (!strcmp(program->commands[i]->name, word))
			return program->commands[i];
	return NULL;
}

const char *program_foreign_hint(const struct program_spec *program, const char *word)
{
	size_t len = strcspn(word, "=");

	for (const struct foreign_word *f = program->foreign_words; f && f->word; f++)
		if (strlen(f->word) == len && !memcmp(f->word, word, len))
			return f->hint;
	return NULL;
}

const char *program_similar_command(const struct program_spec *program, const char *word)
{
	struct suggestion suggestion;

	suggestion_init(&suggestion, word);
	for (size_t i = 0; i < program->nr_commands; i++)
		suggestion_try(&suggestion, program->commands[i]->name);
	return suggestion.best;
}
