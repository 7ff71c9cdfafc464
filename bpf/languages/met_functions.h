/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saves a walk work that it has done before. Functions call themselves and each other again, so one
 * stack has a function several times, and its object is read once. Most words of a stack are at the
 * place that they had in the stack before, so their names need not be looked up.
 */
#ifndef BPF_LANGUAGES_MET_FUNCTIONS_H
#define BPF_LANGUAGES_MET_FUNCTIONS_H

#include <stdbool.h>

#include "bpf/walk/depth_limit.h"
#include "bpf/languages/languages.h"
#include "bpf/languages/seen_functions.h"

/* Begins a walk of the process with @space_id. The words of the stack before are in @s. */
static __always_inline void begin_meeting(struct language_stack *s, __u64 space_id)
{
	const __u64 known_space = space_id + seen_period;

	if (s->known_space != known_space)
		s->nr_known = 0;
	s->known_space = known_space;
	s->has_unknown = 0;
	s->walk++;
}

/* Ends the walk. The words are those that the next stack compares with. */
static __always_inline void end_meeting(struct language_stack *s)
{
	s->nr_known = s->has_unknown ? 0 : s->nr_words;
}

/* Where the function with the object at @addr would be. */
static __always_inline struct met_function *met_function_at(struct language_stack *s, __u64 addr)
{
	return &s->met[SPREAD_HASH(addr, MET_FUNCTIONS_SHIFT)];
}

/* Has this walk met the function with the object at @addr? */
static __always_inline bool is_function_met(const struct language_stack *s,
					    const struct met_function *met, __u64 addr)
{
	return met->walk == s->walk && word_addr(met->word) == addr;
}

static __always_inline void note_function_met(const struct language_stack *s,
					      struct met_function *met, __u64 word)
{
	met->word = word;
	met->walk = s->walk;
}

/* Has the name of the function been handed over whose word is to be the next one of @s? */
static __always_inline bool is_word_known(struct language_stack *s,
					  const struct seen_function *function)
{
	const __u32 i = s->nr_words;

	if (i < s->nr_known && i < max_depth && s->words[i] == function->word)
		return true;
	if (is_function_seen(function))
		return true;
	s->has_unknown = 1;
	return false;
}

#endif
