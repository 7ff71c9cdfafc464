/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts the functions of interpreted languages into their place between native frames. The BPF
 * program and the recorder compile the same code. A native walk asks at each turn:
 *
 *	if (places_take(functions, max, &word)) {
 *		keep word;
 *		continue;
 *	}
 *	step from the native frame at @address to its caller, from sp to the caller's sp;
 *	places_hold(functions, max, sp, caller_sp, &address);
 *	keep address;
 *
 * A segment of functions belongs to the native frame that has its mark. The functions are nearer to
 * the leaf than the frame that runs them. So the native address waits until the functions are kept.
 * When the native walk is over, places_take hands out the functions without a place.
 */
#ifndef BPF_LANGUAGES_LANGUAGE_PLACES_H
#define BPF_LANGUAGES_LANGUAGE_PLACES_H

#include <stdbool.h>

#include "bpf/languages/languages.h"

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/* The word at @i, which the caller has found to be below the number of words. */
static __always_inline __u64 places_word(const struct language_stack *s, __u32 i, __u32 max)
{
	return i < max ? s->words[i] : 0;
}

/*
 * Takes the next word that stands before the next native frame. Returns false if there is none. The
 * stack has room for @max words.
 */
static __always_inline bool places_take(struct language_stack *s, __u32 max, __u64 *word)
{
	if (s->places.word < s->places.end) {
		*word = places_word(s, s->places.word++, max);
		return true;
	}
	if (!s->places.held)
		return false;
	*word = s->places.held;
	s->places.held = 0;
	return true;
}

/*
 * Takes the next word without a place, after the native walk is over. A note comes before the first
 * one, unless that is a note itself. Returns false if there is none.
 */
static __always_inline bool places_take_rest(struct language_stack *s, __u32 max, __u64 *word)
{
	if (s->places.word >= s->nr_words)
		return false;
	*word = places_word(s, s->places.word, max);
	if (!s->places.is_displaced && word_addr(*word) >= NR_NOTES) {
		s->places.is_displaced = true;
		*word = LANGUAGE_WORD(word_language(*word), 0, NOTE_DISPLACED);
		return true;
	}
	s->places.word++;
	return true;
}

/* Are there words that nobody has taken? */
static __always_inline bool places_are_left(const struct language_stack *s)
{
	return s->places.held || s->places.word < s->nr_words;
}

/*
 * The native walk has gone from a frame at [sp, cfa) to its caller. If the frame has the mark of
 * the next segment, *@address waits, and becomes the first word of the segment.
 */
static __always_inline void places_hold(struct language_stack *s, __u32 max, __u64 sp, __u64 cfa,
					__u64 *address)
{
	const struct language_segment *segment;
	__u64 word;

	if (s->places.segment >= s->nr_segments || s->places.segment >= MAX_LANGUAGE_SEGMENTS)
		return;
	segment = &s->segments[s->places.segment];
	if (segment->mark < sp || segment->mark >= cfa)
		return;
	s->places.segment++;
	s->places.end = segment->end;
	s->places.held = *address;
	if (places_take(s, max, &word))
		*address = word;
}

#endif
