// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/words.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "common/minmax.h"

#define NAME_LENGTH_MAX 31
#define SLIPS_MAX       2

const char *word_list_get(const struct word_list *list, size_t i)
{
	if (list->word)
		return list->word(i);
	return list->names ? list->names[i] : NULL;
}

int word_list_find(const struct word_list *list, const char *word, unsigned int *found)
{
	const char *name;

	for (size_t i = 0; (name = word_list_get(list, i)); i++) {
		if (strcmp(name, word) != 0)
			continue;
		*found = i;
		return 0;
	}
	for (const struct word_alias *alias = list->aliases; alias && alias->word; alias++) {
		if (strcmp(alias->word, word) != 0)
			continue;
		*found = alias->place;
		return 0;
	}
	return -EINVAL;
}

static bool is_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/*
 * Returns the slips between @word and @name, neither of which is longer than NAME_LENGTH_MAX
 * (Levenshtein's distance, with changed places; three rows of its matrix).
 */
static unsigned int count_slips(const char *word, const char *name)
{
	unsigned int rows[3][NAME_LENGTH_MAX + 1];
	unsigned int *before = rows[0], *last = rows[1], *row = rows[2];
	size_t len = strlen(name);

	for (size_t i = 0; i <= len; i++)
		row[i] = i;
	for (size_t w = 0; word[w]; w++) {
		unsigned int *free_row = before;

		before = last;
		last = row;
		row = free_row;
		row[0] = w + 1;
		for (size_t i = 0; i < len; i++) {
			uint64_t nr = last[i] + !is_same(word[w], name[i]);

			nr = min_u64(nr, min_u64(row[i], last[i + 1]) + 1);
			if (w && i && is_same(word[w], name[i - 1]) &&
			    is_same(word[w - 1], name[i]))
				nr = min_u64(nr, before[i - 1] + 1);
			row[i + 1] = nr;
		}
	}
	return row[len];
}

void suggestion_init(struct suggestion *suggestion, const char *word)
{
	*suggestion = (struct suggestion){.word = word, .nr_slips = SLIPS_MAX + 1};
}

void suggestion_try(struct suggestion *suggestion, const char *name)
{
	const char *word = suggestion->word;
	size_t len = strlen(word);
	unsigned int nr;

	if (!len || len > NAME_LENGTH_MAX || strlen(name) > NAME_LENGTH_MAX)
		return;
	nr = strncmp(name, word, len) ? count_slips(word, name) : 0;
	if (nr >= suggestion->nr_slips || 2 * nr >= len)
		return;
	suggestion->nr_slips = nr;
	suggestion->best = name;
}

const char *word_list_suggest(const struct word_list *list, const char *word)
{
	struct suggestion suggestion;
	const char *name;

	suggestion_init(&suggestion, word);
	for (size_t i = 0; (name = word_list_get(list, i)); i++)
		suggestion_try(&suggestion, name);
	return suggestion.best;
}

int word_list_refuse(const struct word_list *list, const char *label, const char *word,
		     struct err *err)
{
	const char *best = word_list_suggest(list, word), *name;
	char names[256] = "";
	size_t used = 0;

	if (best)
		return err_set(err, -EINVAL, "%s '%s'; did you mean '%s'?", label, word, best);
	for (size_t i = 0; (name = word_list_get(list, i)) && used < sizeof(names); i++)
		used += snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "", name);
	return err_set(err, -EINVAL, "%s '%s'; choose one of: %s", label, word, names);
}
