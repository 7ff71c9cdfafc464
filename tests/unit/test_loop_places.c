// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "bpf/languages/loop_places.h"
#include "tests/unit/suite.h"

/*
 * Native frames: L in the loop, K in its core, M in made code, D calls destructors, C changes the
 * stack, N elsewhere.
 */
#define LOOP    0x1000
#define DESTROY 0x2000
#define OTHER   0x3000
#define CHANGE  0x4000
#define MADE    0x5000
#define CORE    0x6000
#define BYTES   0x100

#define FRAMES_MAX 16

/* Has made code run in the frame of a loop, or in a frame that nobody knows? */
static bool has_made, has_unknown;

/* Does a loop call made code in place of its core? */
static bool made_is_core;

/* Do only stacks with as many loops as segments count? */
static bool is_exact;

/* Of a fiber, which other functions have called; 0: no fiber runs. */
static uint32_t own_words, own_segments;

static struct {
	_Alignas(struct language_stack) char bytes[LANGUAGE_STACK_SIZE(FRAMES_MAX)];
} memory;

static __u64 code_of(char frame)
{
	switch (frame) {
	case 'L':
		return LOOP;
	case 'D':
		return DESTROY;
	case 'C':
		return CHANGE;
	case 'M':
		return MADE;
	case 'K':
		return CORE;
	default:
		return OTHER;
	}
}

/*
 * Puts segments of one function each, "a" "b" "c" from the leaf on, among the frames @native.
 * Compares the stack with @expected, where ! is the note about displaced functions.
 */
static void check_places(const char *native, uint32_t nr_segments, enum stack_end end,
			 const char *expected)
{
	struct language_stack *s = (struct language_stack *)memory.bytes;
	__u64 frames[FRAMES_MAX] = {0}, word;
	char text[FRAMES_MAX + 1] = "";
	uint32_t nr, at;

	memset(&memory, 0, sizeof(memory));
	s->loops.code = (struct language_code){.loop = LOOP,
					       .loop_bytes = BYTES,
					       .destroy = DESTROY,
					       .destroy_bytes = BYTES,
					       .change = CHANGE,
					       .change_bytes = BYTES,
					       .core = CORE,
					       .core_bytes = BYTES};
	s->loops.nr_segments = s->nr_segments = s->nr_words = nr_segments;
	s->loops.is_whole = 1;
	s->loops.made = has_made ? MADE : 0;
	s->loops.made_bytes = has_made ? BYTES : 0;
	s->loops.has_unknown = has_unknown;
	s->loops.made_is_core = made_is_core;
	s->loops.is_exact = is_exact;
	if (own_words) {
		s->loops.is_own_stack = 1;
		s->loops.own_words = own_words;
		s->loops.nr_segments = own_segments;
	}
	for (uint32_t i = 0; i < nr_segments; i++) {
		s->words[i] = LANGUAGE_WORD(LANGUAGE_PHP, 0, 'a' + i);
		s->segments[i].end = i + 1;
	}
	for (uint32_t i = 0; native[i]; i++) {
		frames[i] = code_of(native[i]) + 8;
		loops_look_at(s, i, frames[i]);
	}
	nr = loops_decide(s, FRAMES_MAX, strlen(native), end);
	ck_assert_uint_le(nr, FRAMES_MAX);
	while (loops_next(s, FRAMES_MAX, frames, &word, &at)) {
		frames[at] = word;
		if (word_addr(word) == NOTE_DISPLACED)
			text[at] = '!';
		else if (word_is_function(word))
			text[at] = word_addr(word);
		else
			text[at] = "?LDNCMK"[word >> 12];
	}
	ck_assert_str_eq(text, expected);
}

START_TEST(each_segment_has_its_loop)
{
	check_places("NLNNLN", 2, STACK_END_ROOT, "NaLNNbLN");
	check_places("L", 1, STACK_END_ROOT, "aL");
	check_places("NN", 0, STACK_END_ROOT, "NN");
}
END_TEST

START_TEST(a_function_whose_loop_has_not_begun_is_the_leaf)
{
	check_places("NNLN", 2, STACK_END_ROOT, "aNNbLN");
}
END_TEST

START_TEST(a_loop_that_returns_has_no_segment)
{
	check_places("NLNLN", 1, STACK_END_ROOT, "NLNaLN");
	check_places("LNDLNL", 2, STACK_END_ROOT, "aLNDLNbL");
}
END_TEST

START_TEST(where_numbers_differ_functions_are_displaced)
{
	check_places("NN", 2, STACK_END_ROOT, "NN!ab");
	check_places("LN", 3, STACK_END_ROOT, "LN!abc");
	check_places("LNLNL", 1, STACK_END_ROOT, "LNLNL!a");
	check_places("LN", 1, STACK_END_NO_TABLE, "LN!a");
}
END_TEST

START_TEST(a_stack_without_its_root_is_known_from_the_leaf_on)
{
	check_places("LNL", 3, STACK_END_CUT, "aLNbL!c");
	check_places("LNL", 1, STACK_END_CUT, "aLNL");
}
END_TEST

START_TEST(where_numbers_must_be_equal_any_difference_takes_the_places_away)
{
	is_exact = true;
	check_places("NLNNLN", 2, STACK_END_ROOT, "NaLNNbLN");
	check_places("NNLN", 2, STACK_END_ROOT, "NNLN!ab");
	check_places("NLNLN", 1, STACK_END_ROOT, "NLNLN!a");
	check_places("LNL", 3, STACK_END_CUT, "LNL!abc");
}
END_TEST

/* A fiber that waits has the change among its callers, and that is no matter. */
START_TEST(a_change_of_the_stack_takes_the_places_away)
{
	check_places("CNLN", 1, STACK_END_ROOT, "CNLN!a");
	check_places("NCNLN", 1, STACK_END_ROOT, "NCNLN!a");
	check_places("LNCLN", 2, STACK_END_ROOT, "aLNCbLN");
}
END_TEST

START_TEST(callers_of_a_fiber_stand_before_its_root)
{
	own_words = own_segments = 1;
	check_places("NLN", 3, STACK_END_ROOT, "NaLNbc");
	/* A function has begun, or a loop returns. */
	check_places("NN", 3, STACK_END_ROOT, "NN!abc");
	check_places("LNLN", 3, STACK_END_ROOT, "LNaLNbc");
	/* Native frames of the fiber lack, or places for its functions. */
	check_places("NLN", 3, STACK_END_NO_TABLE, "NaLN!bc");
	check_places("CLN", 3, STACK_END_ROOT, "CLN!abc");
	own_words = 2;
	check_places("NLN", 3, STACK_END_ROOT, "NaLN!bc");
}
END_TEST

START_TEST(made_code_runs_in_the_frame_of_a_loop)
{
	has_made = true;
	check_places("LNM", 2, STACK_END_ROOT, "aLNbM");
	check_places("MNMN", 1, STACK_END_ROOT, "MNaMN");
	check_places("MNL", 1, STACK_END_CUT, "aMNL");
}
END_TEST

/* The functions are nearer to the leaf than the loop's core. */
START_TEST(the_core_of_a_loop_stays_with_it)
{
	check_places("NKLNKLN", 2, STACK_END_ROOT, "NaKLNbKLN");
	check_places("KLNLN", 2, STACK_END_ROOT, "aKLNbLN");
	check_places("KL", 1, STACK_END_ROOT, "aKL");
	/* A loop that returns, and one that has not begun. */
	check_places("NKLNKLN", 1, STACK_END_ROOT, "NKLNaKLN");
	check_places("NNKLN", 2, STACK_END_ROOT, "aNNbKLN");
	check_places("NKLNKL", 3, STACK_END_CUT, "NaKLNbKL!c");
	/* It is a core after a loop alone. */
	check_places("NKNLN", 1, STACK_END_ROOT, "NKNaLN");
}
END_TEST

START_TEST(made_code_in_place_of_the_core)
{
	has_made = made_is_core = true;
	check_places("NMLNKLN", 2, STACK_END_ROOT, "NaMLNbKLN");
}
END_TEST

START_TEST(made_code_in_an_unknown_frame_takes_the_places_away)
{
	has_made = has_unknown = true;
	check_places("LNM", 2, STACK_END_ROOT, "LNM!ab");
	check_places("LNL", 3, STACK_END_CUT, "LNL!abc");
}
END_TEST

SUITE_MAIN("loop_places", each_segment_has_its_loop,
	   a_function_whose_loop_has_not_begun_is_the_leaf, a_loop_that_returns_has_no_segment,
	   where_numbers_differ_functions_are_displaced,
	   where_numbers_must_be_equal_any_difference_takes_the_places_away,
	   a_stack_without_its_root_is_known_from_the_leaf_on,
	   a_change_of_the_stack_takes_the_places_away, made_code_runs_in_the_frame_of_a_loop,
	   the_core_of_a_loop_stays_with_it, made_code_in_place_of_the_core,
	   made_code_in_an_unknown_frame_takes_the_places_away,
	   callers_of_a_fiber_stand_before_its_root)
