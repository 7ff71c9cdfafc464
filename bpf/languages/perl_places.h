/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides which segments of Perl's subs belong to which native frames, for
 * bpf/languages/loop_places.h. Each segment runs in one loop of the interpreter,
 * Perl_runops_standard. Numbers alone do not tell:
 *
 * - A sub that C code calls begins a segment and a loop. While it begins, it has no loop yet. While
 *   it returns, the loop has no segment any more. Both happen at the leaf.
 * - The block or sub of a sort, or of a function such as List::Util::first, is there all the time,
 *   and its loop only while it runs.
 * - An eval in a segment may go on in a loop of its own (S_docatch in pp_ctl.c). One native frame
 * is between both loops. The inner loop counts, the outer one does not.
 * - The main program has a loop only while it runs: not while "use" runs, nor END, nor in a server
 *   that calls subs.
 *
 * So the kind of each loop, by its caller, is compared with the kind of its segment. If they differ
 * anywhere, no sub of that stack has a place.
 */
#ifndef BPF_LANGUAGES_PERL_PLACES_H
#define BPF_LANGUAGES_PERL_PLACES_H

#include <stdbool.h>

#include "bpf/languages/languages.h"
#include "bpf/shared.h"

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/* The frame at @pc has called the last loop, or is the caller of that frame. */
static __always_inline void perl_note_caller(struct language_stack *s, __u64 pc)
{
	const struct perl_loops *code = &s->loops.perl;
	struct perl_places *p = &s->loop_places.perl;

	p->distance++;
	if (p->distance == 1 &&
	    (pc - code->call < code->call_bytes || pc - code->overload < code->overload_bytes)) {
		p->is_called = 1;
		for (__u32 i = 0; i < NR_PERL_COUNTS; i++)
			if (p->sets[i].nr && p->sets[i].nr <= MAX_PERL_SEGMENTS)
				p->sets[i].called |= 1ULL << (p->sets[i].nr - 1);
	} else if (p->distance <= 2 && !p->is_called && p->sets[PERL_EACH].nr &&
		   pc - code->main < code->main_bytes) {
		/* A part of perl_run may be a function of its own. */
		p->has_main = 1;
	}
}

static __always_inline void perl_add_loop(struct perl_places_set *set, __u32 at)
{
	if (set->nr < MAX_PERL_SEGMENTS)
		set->frames[set->nr % MAX_PERL_SEGMENTS] = at;
	set->nr++;
}

/*
 * Counts native frame number @at, whose code is at @pc. If an eval goes on in the last loop, the
 * caller of this one is the caller of both.
 */
static __always_inline void perl_look_at(struct language_stack *s, __u32 at, __u64 pc)
{
	struct perl_places *p = &s->loop_places.perl;
	__u32 distance = p->is_called || !p->sets[PERL_EACH].nr ? 0 : p->distance;

	if (pc - s->loops.code.loop >= s->loops.code.loop_bytes) {
		perl_note_caller(s, pc);
		return;
	}
	p->distance = p->is_called = 0;
	if (distance == 1)
		return;
	perl_add_loop(&p->sets[PERL_EACH], at);
	if (distance != 2)
		perl_add_loop(&p->sets[PERL_EVALS], at);
}

static __always_inline const struct perl_places_set *perl_set(const struct perl_places *p)
{
	return &p->sets[p->set == PERL_EVALS ? PERL_EVALS : PERL_EACH];
}

/* Is native frame number @at the loop number @loop? */
static __always_inline bool perl_is_loop(const struct loop_places *p, __u32 at, __u32 loop)
{
	return loop < MAX_PERL_SEGMENTS &&
	       perl_set(&p->perl)->frames[loop % MAX_PERL_SEGMENTS] == at;
}

/* Leaves out the functions after segment number @last, which are those of the main program. */
static __always_inline void perl_drop_main(struct language_stack *s, __u32 last)
{
	/* The verifier forgets what a comparison says of a number on the stack. */
	s->nr_words = s->segments[last % MAX_LANGUAGE_SEGMENTS].end;
}

/* The number of the only bit in @bit. There is no branch, as the verifier would go both ways. */
static __always_inline __u32 perl_bit_number(__u64 bit)
{
	return (__u32)__builtin_popcountll(bit - 1);
}

/*
 * Finds the one segment that has no loop: a sub that begins, which is the leaf, or a sub or block
 * for many calls. Without its bit, the kinds of segments are those of loops: bits below it are the
 * same, and those above it are one further. Returns its number + 1, or 0 if none or several may be
 * it. There is no loop here, which the verifier would follow in each turn.
 */
static __always_inline __u32 perl_find_bare(const struct language_stack *s, __u32 nr)
{
	const __u64 called = s->loops.perl.called, loops = perl_set(&s->loop_places.perl)->called;
	__u64 below = called ^ loops, above = called >> 1 ^ loops;
	__u64 bare = (s->loops.perl.many | (called & 1)) & ((2ULL << (nr - 1)) - 1);

	/* Up to the first difference from below, and after the last one from above. */
	if (below)
		bare &= ((below & -below) << 1) - 1;
	for (__u32 i = 1; i < MAX_PERL_SEGMENTS; i *= 2)
		above |= above >> i;
	bare &= ~above;
	return bare && !(bare & (bare - 1)) ? perl_bit_number(bare) + 1 : 0;
}

/* Has each of @nr segments a loop of its kind, and each loop a segment? */
static __always_inline bool perl_is_exact(const struct language_stack *s, __u32 nr)
{
	const struct perl_places_set *set = perl_set(&s->loop_places.perl);

	return set->nr == nr && set->called == s->loops.perl.called;
}

/* Is the innermost loop without a segment? Nothing runs in it any more, and it is the leaf. */
static __always_inline bool perl_has_bare_loop(const struct language_stack *s, __u32 nr)
{
	const struct perl_places_set *set = perl_set(&s->loop_places.perl);

	return set->nr == nr + 1 && set->called >> 1 == s->loops.perl.called && set->frames[0] <= 1;
}

/*
 * Decides which of @nr segments, of those with a loop, or which loop stands alone. Returns the
 * number of segments with a loop, or that begin; 0: not known.
 */
static __always_inline __u32 perl_pair_bare(struct language_stack *s, __u32 nr)
{
	struct loop_places *p = &s->loop_places;
	__u32 bare;

	if (perl_has_bare_loop(s, nr)) {
		p->bare_end = 1;
		return nr;
	}
	bare = perl_set(&p->perl)->nr + 1 == nr ? perl_find_bare(s, nr) : 0;
	if (!bare)
		return 0;
	if (bare > 1) {
		/* It belongs to the loop that has called the C code. */
		p->perl.bare = bare;
		return nr - 1;
	}
	/* A sub that begins is the leaf. That of a sort does not run. */
	if (!(s->loops.perl.called & 1))
		p->first = s->segments[0].end;
	return nr;
}

/*
 * Returns the number of segments that have a place: all, or none. The last segment is always that
 * of the main program, also if it does not run.
 */
static __always_inline __u32 perl_pair(struct language_stack *s, enum stack_end end)
{
	struct loop_places *p = &s->loop_places;
	__u32 nr = s->loops.nr_segments, placed = 0;

	p->bare_begin = p->bare_end = 0;
	if (end != STACK_END_ROOT || !s->loops.is_whole || !nr || nr > MAX_PERL_SEGMENTS ||
	    p->perl.sets[PERL_EACH].nr > MAX_PERL_SEGMENTS || !p->perl.sets[PERL_EACH].nr)
		return 0;
	if (!p->perl.has_main && !--nr)
		return 0;
	for (__u32 i = 0; i < 2 * NR_PERL_COUNTS && !placed; i++) {
		p->perl.set = i % NR_PERL_COUNTS;
		if (i >= NR_PERL_COUNTS)
			placed = perl_pair_bare(s, nr);
		else if (perl_is_exact(s, nr))
			placed = nr;
	}
	if (!placed)
		return 0;
	p->nr_loops = perl_set(&p->perl)->nr;
	if (!p->perl.has_main)
		perl_drop_main(s, nr - 1);
	return placed;
}

#endif
