/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the functions of interpreters without marks, in segments of which each belongs to one
 * loop of the interpreter. bpf/languages/loop_places.h puts them among the native frames.
 */
#ifndef BPF_LANGUAGES_LOOP_SEGMENTS_H
#define BPF_LANGUAGES_LOOP_SEGMENTS_H

#include "bpf/walk/depth_limit.h"
#include "bpf/languages/languages.h"

/*
 * The functions of @s have no marks, and the loops in the file's @code. Offset 0 of the file would
 * be at @base.
 */
static __always_inline void begin_loops(struct language_stack *s, const struct language_code *code,
					__u64 base)
{
	struct language_loops *loops = &s->loops;

	loops->code = *code;
	loops->code.loop += base;
	loops->code.cold += base;
	loops->code.destroy += base;
	loops->code.change += base;
	loops->code.core += base;
	loops->code.core_cold += base;
	loops->is_own_stack = 0;
	loops->made_bytes = 0;
	loops->made_is_core = 0;
	loops->has_unknown = 0;
	loops->is_whole = 1;
	loops->is_exact = 0;
}

static __always_inline void push_loop_word(struct language_stack *s, __u64 word)
{
	__u32 i = s->nr_words;

	if (i >= max_depth)
		return;
	s->words[i] = word;
	s->nr_words = i + 1;
}

static __always_inline void push_loop_note(struct language_stack *s, enum language language,
					   enum word_note note)
{
	push_loop_word(s, LANGUAGE_WORD(language, 0, note));
}

/* The words since the last segment's end belong to one loop. */
static __always_inline void end_loop_segment(struct language_stack *s)
{
	__u32 i = s->nr_segments;

	if (i >= MAX_LANGUAGE_SEGMENTS) {
		s->loops.is_whole &= s->loops.is_own_stack;
		return;
	}
	s->segments[i].mark = 0;
	s->segments[i].end = s->nr_words;
	s->nr_segments = i + 1;
}

#endif
