// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/option_spec.h"

#include <string.h>

#include "common/minmax.h"

const struct common_option common_options[NR_COMMON_OPTIONS] = {
	[COMMON_OPTION_HELP] = {"help", 'h', "show this help and exit"},
	[COMMON_OPTION_VERSION] = {"version", 0, "show the version and exit"},
	[COMMON_OPTION_HELP_MAN] = {"help-man", 0, NULL},
	[COMMON_OPTION_HELP_COMPLETION] = {"help-completion", 0, NULL},
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

#define NAME_LENGTH_MAX 15
#define SLIPS_MAX       2

/*
 * Returns the number of letters to insert, remove or replace between @word and @name, whose length
 * is NAME_LENGTH_MAX at most (Levenshtein's distance, one row of its matrix at a time).
 */
static unsigned int count_slips(const char *word, const char *name)
{
	unsigned int row[NAME_LENGTH_MAX + 1];
	size_t len = strlen(name);

	for (size_t i = 0; i <= len; i++)
		row[i] = i;
	for (size_t w = 0; word[w]; w++) {
		unsigned int diagonal = row[0];

		row[0] = w + 1;
		for (size_t i = 1; i <= len; i++) {
			unsigned int replaced = diagonal + (word[w] != name[i - 1]);

			diagonal = row[i];
			row[i] = (unsigned int)min_u64(
				replaced, (unsigned int)min_u64(row[i - 1], row[i]) + 1);
		}
	}
	return row[len];
}

const struct command_spec *program_similar_command(const struct program_spec *program,
						   const char *word)
{
	const struct command_spec *best = NULL;
	unsigned int fewest = SLIPS_MAX + 1;
	size_t len = strlen(word);

	for (size_t i = 0; len && i < program->nr_commands; i++) {
		const char *name = program->commands[i]->name;
		unsigned int nr;

		if (!strncmp(name, word, len))
			return program->commands[i];
		nr = strlen(name) <= NAME_LENGTH_MAX ? count_slips(word, name) : fewest;
		/* A slip leaves half of the letters. */
		if (nr < fewest && 2 * nr <= len) {
			fewest = nr;
			best = program->commands[i];
		}
	}
	return best;
}
