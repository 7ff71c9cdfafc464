/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of known words: values of options, commands, formats, events. A word that a list lacks is
 * often a slip, so the error names the word that may be meant, or else all of them.
 */
#ifndef COMMON_WORDS_H
#define COMMON_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

/* Another word for one of a list, which nobody is offered. */
struct word_alias {
	const char *word;
	unsigned int place; /* of the word that it stands for */
};

/* One of names and word is NULL, or both are, and the list is empty. */
struct word_list {
	const char *const *names;         /* ends with NULL */
	const char *(*word)(size_t i);    /* NULL after the last word */
	const struct word_alias *aliases; /* ends with a NULL word; NULL: none */
};

/* Returns word @i of @list, NULL after the last. */
const char *word_list_get(const struct word_list *list, size_t i);

/* Sets *@found to the place of @word, or of what it is an alias for. Returns 0, or -EINVAL if @list
 * lacks it. */
int word_list_find(const struct word_list *list, const char *word, unsigned int *found);

/* The name for which a word may be a slip, among those that were tried. */
struct suggestion {
	const char *word;
	const char *best; /* NULL: none */
	unsigned int nr_slips;
};

void suggestion_init(struct suggestion *suggestion, const char *word);

/*
 * Takes @name if the word is the beginning of it, or differs by two slips at most, which leave more
 * than half of its letters. A slip is a letter more, less or wrong, or two that changed places. The
 * name with the fewest slips wins, the first one of several. @name is borrowed.
 */
void suggestion_try(struct suggestion *suggestion, const char *name);

/* Returns the word of @list for which @word may be a slip, NULL if there is none. */
const char *word_list_suggest(const struct word_list *list, const char *word);

/*
 * Sets the error "@label 'WORD'; did you mean 'NAME'?", or "...; choose one of: NAME, NAME".
 * Returns -EINVAL.
 */
int word_list_refuse(const struct word_list *list, const char *label, const char *word,
		     struct err *err);

#endif
