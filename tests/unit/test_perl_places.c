// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "bpf/languages/loop_places.h"
#include "tests/unit/suite.h"

/* Native frames: L in the loop, C calls a sub, O an operator, M runs the main program, N others. */
#define LOOP     0x1000
#define CALL     0x2000
#define OVERLOAD 0x3000
#define MAIN     0x4000
#define OTHER    0x5000
#define BYTES    0x100

#define FRAMES_MAX 24

static struct {
	_Alignas(struct language_stack) char bytes[LANGUAGE_STACK_SIZE(FRAMES_MAX)];
} memory;

static __u64 code_of(char frame)
{
	switch (frame) {
	case 'L':
		return LOOP;
	case 'C':
		return CALL;
	case 'O':
		return OVERLOAD;
	case 'M':
		return MAIN;
	default:
		return OTHER;
	}
}

static void set_code(struct language_stack *s)
{
	s->loops.code = (struct language_code){.loop = LOOP, .loop_bytes = BYTES};
	s->loops.perl = (struct perl_loops){.call = CALL,
					    .call_bytes = BYTES,
					    .overload = OVERLOAD,
					    .overload_bytes = BYTES,
					    .main = MAIN,
					    .main_bytes = BYTES};
	s->loops.is_perl = s->loops.is_whole = 1;
}

/*
 * The segments have one sub each, "a" "b" "c" from the leaf on. Their @kinds: c was called by C
 * code, m is there for many calls, p is otherwise, as the last one, that of the main program, is.
 * Puts them among the frames @native, and compares the stack with @expected, where ! is the note
 * about displaced functions.
 */
static void check_places(const char *native, const char *kinds, enum stack_end end,
			 const char *expected)
{
	struct language_stack *s = (struct language_stack *)memory.bytes;
	__u64 frames[FRAMES_MAX] = {0}, word;
	char text[FRAMES_MAX + 1] = "";
	uint32_t nr, at;

	memset(&memory, 0, sizeof(memory));
	set_code(s);
	s->loops.nr_segments = s->nr_segments = s->nr_words = strlen(kinds);
	for (uint32_t i = 0; kinds[i]; i++) {
		s->loops.perl.called |= (__u64)(kinds[i] == 'c') << i;
		s->loops.perl.many |= (__u64)(kinds[i] == 'm') << i;
		s->words[i] = LANGUAGE_WORD(LANGUAGE_PERL, 0, 'a' + i);
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
			text[at] = "?LCOMN"[word >> 12];
	}
	ck_assert_str_eq(text, expected);
}

START_TEST(each_segment_has_its_loop)
{
	check_places("NLM", "p", STACK_END_ROOT, "NaLM");
	check_places("NLNM", "p", STACK_END_ROOT, "NaLNM");
	check_places("NLCNLM", "cp", STACK_END_ROOT, "NaLCNbLM");
	check_places("LONLNNNLM", "cmp", STACK_END_ROOT, "aLONbLNNNcLM");
}
END_TEST

START_TEST(a_program_that_does_not_run_has_no_loop)
{
	check_places("NLCNNM", "cp", STACK_END_ROOT, "NaLCNNM");
	check_places("NLCNN", "cp", STACK_END_ROOT, "NaLCNN");
}
END_TEST

START_TEST(an_eval_goes_on_in_a_loop_of_its_own)
{
	check_places("NLNLCNLM", "cp", STACK_END_ROOT, "NaLNLCNbLM");
	check_places("NLNNLCNLM", "cp", STACK_END_ROOT, "NaLNNLCNbLM");
	/* C code runs a sub many times through as many frames. */
	check_places("NLNNLM", "mp", STACK_END_ROOT, "NaLNNbLM");
}
END_TEST

START_TEST(a_sub_that_begins_is_the_leaf)
{
	check_places("NCNLM", "cp", STACK_END_ROOT, "aNCNbLM");
	check_places("NCNLCNLM", "ccp", STACK_END_ROOT, "aNCNbLCNcLM");
}
END_TEST

START_TEST(a_loop_that_returns_is_the_leaf)
{
	check_places("NLCNLM", "p", STACK_END_ROOT, "NLCNaLM");
	check_places("LCNLM", "p", STACK_END_ROOT, "LCNaLM");
	check_places("NNLCNLM", "p", STACK_END_ROOT, "NNLCNLM!a");
}
END_TEST

START_TEST(a_sort_compares_from_time_to_time)
{
	check_places("NNNLM", "mp", STACK_END_ROOT, "NNNbLM");
	/* Between, C code calls another sub. */
	check_places("NLCNNLM", "cmp", STACK_END_ROOT, "NaLCNNbcLM");
	check_places("NLCNNLM", "cmmp", STACK_END_ROOT, "NLCNNLM!abcd");
}
END_TEST

START_TEST(kinds_that_differ_have_no_place)
{
	check_places("NLCNLM", "pp", STACK_END_ROOT, "NLCNLM!ab");
	check_places("NLNNNLM", "cp", STACK_END_ROOT, "NLNNNLM!ab");
	check_places("NNLCNNLCNLM", "cp", STACK_END_ROOT, "NNLCNNLCNLM!ab");
	check_places("NN", "p", STACK_END_ROOT, "NN!a");
	check_places("NLCNLM", "cp", STACK_END_NO_TABLE, "NLCNLM!ab");
	check_places("NLCNL", "cp", STACK_END_CUT, "NLCNL!ab");
}
END_TEST

SUITE_MAIN("perl_places", each_segment_has_its_loop, a_program_that_does_not_run_has_no_loop,
	   an_eval_goes_on_in_a_loop_of_its_own, a_sub_that_begins_is_the_leaf,
	   a_loop_that_returns_is_the_leaf, a_sort_compares_from_time_to_time,
	   kinds_that_differ_have_no_place)
