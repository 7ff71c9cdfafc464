/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts the functions of an interpreter without marks into their place, after the native walk. Each
 * segment of functions runs in one native frame of the interpreter's loop. So both are counted, and
 * the outermost segment belongs to the outermost loop. The BPF program and the recorder compile the
 * same code:
 *
 *	for each native frame, from the leaf on:
 *		loops_look_at(functions, its number, its address);
 *	nr = loops_decide(functions, max, number of frames, end);
 *	while (loops_next(functions, max, frames, &word, &at)):
 *		keep word as frame number at;
 *
 * PHP has a loop without a segment for a moment: it has taken a function out of the list, and still
 * frees the function's values. That loop is the innermost one, or one that calls a destructor. PHP
 * has a segment without a loop, when a function has begun and its loop has not. Where the numbers
 * differ otherwise, no function has a place. CPython 3.9 has a loop without a segment for some
 * instructions, and its programs may have native stacks of which one list knows a part
 * (greenlets). There no function has a place where the numbers differ at all, nor in a stack
 * without its root, whose numbers nobody knows.
 *
 * Made code runs in the frame of a loop, so each of its frames is one. Where nobody knows the frame
 * of made code, no function has a place. While a fiber begins or ends, the list and the native
 * stack are of two fibers. No function has a place in such stacks. For Perl,
 * bpf/languages/perl_places.h decides.
 */
#ifndef BPF_LANGUAGES_LOOP_PLACES_H
#define BPF_LANGUAGES_LOOP_PLACES_H

#include <stdbool.h>

#include "bpf/languages/language_places.h"
#include "bpf/languages/perl_places.h"
#include "bpf/shared.h"

/* Where the code of native frame number @at is. The address of a caller is one too high. */
static __always_inline __u64 loops_pc(__u32 at, __u64 address)
{
	if (address & STACK_FRAME_EXACT)
		return address & ~STACK_FRAME_MARKS;
	return (at ? address - 1 : address) & ~STACK_FRAME_UNCERTAIN;
}

static __always_inline bool is_in_loop(const struct language_loops *loops, __u64 pc)
{
	const struct language_code *code = &loops->code;

	return pc - code->loop < code->loop_bytes || pc - code->cold < code->cold_bytes ||
	       (!loops->made_is_core && pc - loops->made < loops->made_bytes);
}

static __always_inline bool is_in_core(const struct language_loops *loops, __u64 pc)
{
	const struct language_code *code = &loops->code;

	return pc - code->core < code->core_bytes || pc - code->core_cold < code->core_cold_bytes ||
	       (loops->made_is_core && pc - loops->made < loops->made_bytes);
}

/*
 * Notes that a native frame is of made code, whose mapping begins at @start. If it @is_loop, so is
 * each frame of that mapping.
 */
static __always_inline void loops_note_made(struct language_loops *loops, __u64 start, __u64 bytes,
					    bool is_loop)
{
	if (!loops->made_bytes) {
		loops->made = start;
		loops->made_bytes = bytes;
	}
	if (!is_loop || loops->made != start)
		loops->has_unknown = 1;
}

/* Counts native frame number @at. The progress is all zero before the first one. */
static __always_inline void loops_look_at(struct language_stack *s, __u32 at, __u64 address)
{
	const struct language_code *code = &s->loops.code;
	struct loop_places *p = &s->loop_places;
	__u64 pc = loops_pc(at, address);

	if (s->loops.is_perl) {
		perl_look_at(s, at, pc);
		return;
	}
	if (pc - code->destroy < code->destroy_bytes)
		p->is_destroying = 1;
	if (!p->nr_loops && pc - code->change < code->change_bytes)
		p->is_changing = 1;
	if (!is_in_loop(&s->loops, pc))
		return;
	if (p->is_destroying && p->nr_loops) {
		p->nr_destroyers++;
		p->last_destroyer = p->nr_loops;
	}
	p->is_destroying = 0;
	p->nr_loops++;
}

/*
 * Returns the number of segments that have a place. Of a stack without its root, or of a list
 * without its end, only the leaf is known: there the innermost loop has the innermost segment.
 */
static __always_inline __u32 loops_pair(struct language_stack *s, enum stack_end end)
{
	struct loop_places *p = &s->loop_places;
	const __u32 nr = s->loops.nr_segments, loops = p->nr_loops;
	bool is_cut = end == STACK_END_CUT, is_root = end == STACK_END_ROOT;

	p->bare_begin = p->bare_end = 0;
	if (!loops || p->is_changing || s->loops.has_unknown || end == STACK_END_EARLY)
		return 0;
	if (is_cut || (is_root && !s->loops.is_own_stack && !s->loops.is_whole)) {
		if (s->loops.is_exact)
			return 0;
		p->bare_begin = nr < loops ? nr : loops;
		p->bare_end = loops;
		return p->bare_begin;
	}
	if (!(is_root || s->loops.is_own_stack) || !s->loops.is_whole)
		return 0;
	if (loops == nr || (loops + 1 == nr && !s->loops.is_exact))
		return nr;
	if (s->loops.is_exact || loops != nr + 1 || p->nr_destroyers > 1)
		return 0;
	p->bare_begin = p->nr_destroyers ? p->last_destroyer : 0;
	p->bare_end = p->bare_begin + 1;
	return nr;
}

/* The number of words in the first @nr segments that have a loop. */
static __always_inline __u32 loops_words(const struct language_stack *s, __u32 nr)
{
	if (s->loop_places.perl.bare && nr >= s->loop_places.perl.bare)
		nr++;
	return nr && nr <= MAX_LANGUAGE_SEGMENTS ? s->segments[nr - 1].end : 0;
}

/*
 * Have the functions without a place called the fiber that runs? If all functions of the fiber have
 * places, these stand before its root, as PHP itself tells the callers.
 */
static __always_inline bool loops_called_fiber(const struct language_stack *s, enum stack_end end)
{
	const struct loop_places *p = &s->loop_places;

	return s->loops.is_own_stack && end == STACK_END_ROOT && p->segment &&
	       p->segment == s->loops.nr_segments && p->until == s->loops.own_words;
}

/*
 * Decides which segments have a place, after all native frames were counted. The walk has found
 * @nr_frames, and ended with @end. Returns the number of frames that the stack is going to have.
 */
static __always_inline __u32 loops_decide(struct language_stack *s, __u32 max, __u32 nr_frames,
					  enum stack_end end)
{
	struct loop_places *p = &s->loop_places;

	p->segment = s->loops.is_perl ? perl_pair(s, end) : loops_pair(s, end);
	p->until = loops_words(s, p->segment);
	p->word = s->nr_words;
	p->frame = nr_frames;
	p->loop = p->nr_loops;
	p->has_note = p->until < p->word && !loops_called_fiber(s, end) &&
		      word_addr(places_word(s, p->until, max)) >= NR_NOTES;
	p->to = p->frame + p->word - p->first + p->has_note;
	return p->to;
}

/* After a loop, the functions of its segment are next. */
static __always_inline void loops_begin_words(struct loop_places *p)
{
	p->has_passed = 0;
	p->until = p->next;
}

/*
 * Goes past native frame number @at. If it is a loop with a segment, the functions come after it.
 */
static __always_inline void loops_pass(struct language_stack *s, __u32 at, __u64 address)
{
	struct loop_places *p = &s->loop_places;

	if (p->has_passed)
		loops_begin_words(p);
	if (s->loops.is_perl ? perl_is_loop(p, at, p->loop - 1)
			     : is_in_loop(&s->loops, loops_pc(at, address))) {
		p->loop--;
		if (p->segment && (p->loop < p->bare_begin || p->loop >= p->bare_end)) {
			p->next = loops_words(s, --p->segment);
			p->has_passed = 1;
		}
	}
	/* A function whose loop has not begun is the leaf. */
	if (!at)
		p->until = p->first;
}

/*
 * Hands out the next word of the whole stack, from the root on, and its number *@at. It may replace
 * the native frame with that number in @frames, which nobody needs any more. The stack has room for
 * @max frames and @max functions. Returns false if there is none.
 */
static __always_inline bool loops_next(struct language_stack *s, __u32 max, const __u64 *frames,
				       __u64 *word, __u32 *at)
{
	struct loop_places *p = &s->loop_places;

	__u32 i = p->frame - 1;

	if (!p->to)
		return false;
	/* The core of a loop is handed out with it. */
	if (p->has_passed && !is_in_core(&s->loops, loops_pc(i, i < max ? frames[i] : 0)))
		loops_begin_words(p);
	*at = --p->to;
	if (p->word > p->until) {
		*word = places_word(s, --p->word, max);
	} else if (p->has_note) {
		p->has_note = 0;
		*word = LANGUAGE_WORD(word_language(places_word(s, p->word, max)), 0,
				      NOTE_DISPLACED);
	} else if (p->frame) {
		p->frame = i;
		*word = i < max ? frames[i] : 0;
		loops_pass(s, i, *word);
	} else {
		return false;
	}
	return true;
}

#endif
