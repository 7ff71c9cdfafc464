// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf/languages/language_places.h"

#include "tests/unit/random.h"
#include "tests/unit/suite.h"

#define MAX 24

static struct language_stack *s;
static __u64 got[4 * MAX];
static size_t nr_got;

static void begin(void)
{
	s = calloc(1, LANGUAGE_STACK_SIZE(MAX));
	nr_got = 0;
}

static void end(void)
{
	free(s);
}

static __u64 word(uint32_t i)
{
	return LANGUAGE_WORD(LANGUAGE_PYTHON, 7, 0x1000 + i);
}

static void add_segment(uint32_t nr, __u64 mark)
{
	for (uint32_t i = 0; i < nr; i++, s->nr_words++)
		s->words[s->nr_words] = word(s->nr_words);
	if (mark)
		s->segments[s->nr_segments++] =
			(struct language_segment){.mark = mark, .end = s->nr_words};
}

static void take_waiting(void)
{
	while (places_take(s, MAX, &got[nr_got]))
		nr_got++;
}

/* A native frame at [@sp, @cfa), with @address. */
static void step(__u64 address, __u64 sp, __u64 cfa)
{
	take_waiting();
	places_hold(s, MAX, sp, cfa, &address);
	got[nr_got++] = address;
}

static void finish(void)
{
	take_waiting();
	while (places_take_rest(s, MAX, &got[nr_got]))
		nr_got++;
	ck_assert(!places_are_left(s));
}

static void expect(size_t nr, const __u64 want[])
{
	ck_assert_uint_eq(nr_got, nr);
	for (size_t i = 0; i < nr; i++)
		ck_assert_uint_eq(got[i], want[i]);
}
#define EXPECT(...) expect(sizeof((__u64[]){__VA_ARGS__}) / sizeof(__u64), (__u64[]){__VA_ARGS__})

START_TEST(functions_stand_before_the_frame_that_runs_them)
{
	add_segment(2, 250);
	add_segment(1, 310);
	step(1, 100, 200);
	step(2, 200, 300);
	step(3, 300, 400);
	step(4, 400, 500);
	finish();
	EXPECT(1, word(0), word(1), 2, word(2), 3, 4);
}
END_TEST

/* The mark is in the frame from its sp on, and before that of its caller. */
START_TEST(bounds_of_a_frame)
{
	add_segment(1, 200);
	add_segment(1, 399);
	step(1, 100, 200);
	step(2, 200, 300);
	step(3, 300, 400);
	finish();
	EXPECT(1, word(0), 2, word(1), 3);
}
END_TEST

START_TEST(segments_without_functions)
{
	add_segment(0, 150);
	add_segment(1, 250);
	add_segment(0, 350);
	step(1, 100, 200);
	step(2, 200, 300);
	step(3, 300, 400);
	finish();
	EXPECT(1, word(0), 2, 3);
}
END_TEST

START_TEST(functions_without_a_place_come_last)
{
	add_segment(1, 150);
	add_segment(2, 5000);
	step(1, 100, 200);
	step(2, 200, 300);
	finish();
	EXPECT(word(0), 1, 2, LANGUAGE_WORD(LANGUAGE_PYTHON, 0, NOTE_DISPLACED), word(1), word(2));
}
END_TEST

/* Later segments wait for the one that has no place: their order is that of the calls. */
START_TEST(order_of_calls)
{
	add_segment(1, 5000);
	add_segment(1, 150);
	step(1, 100, 200);
	finish();
	EXPECT(1, LANGUAGE_WORD(LANGUAGE_PYTHON, 0, NOTE_DISPLACED), word(0), word(1));
}
END_TEST

START_TEST(notes_need_no_note)
{
	add_segment(1, 0);
	s->words[0] = LANGUAGE_WORD(LANGUAGE_PYTHON, 0, NOTE_UNREADABLE);
	step(1, 100, 200);
	finish();
	EXPECT(1, LANGUAGE_WORD(LANGUAGE_PYTHON, 0, NOTE_UNREADABLE));
}
END_TEST

/* Words beyond the room are 0, and nothing is read there. */
START_TEST(numbers_that_lie)
{
	__u64 address = 1;
	int nr = 0;

	add_segment(1, 150);
	s->segments[0].end = 3 * MAX;
	s->nr_segments = UINT32_MAX;
	places_hold(s, MAX, 100, 200, &address);
	ck_assert_uint_eq(address, word(0));
	while (places_take(s, MAX, &address))
		nr++;
	ck_assert_int_eq(nr, 3 * MAX);
	ck_assert_uint_eq(address, 1); /* the frame that waited */
	for (int i = 0; i < 2 * MAX_LANGUAGE_SEGMENTS; i++)
		places_hold(s, MAX, 0, 100, &address);
	ck_assert_uint_le(s->places.segment, MAX_LANGUAGE_SEGMENTS);
}
END_TEST

/* Every word and every frame comes out once, in its order, with one note at most. */
START_TEST(any_marks)
{
	struct random r = {.state = 12345};

	for (int turn = 0; turn < 20000; turn++) {
		uint32_t nr_frames = random_below(&r, 8), words = 0, frames = 0, notes = 0;

		memset(s, 0, LANGUAGE_STACK_SIZE(MAX));
		nr_got = 0;
		for (uint32_t i = random_below(&r, 5); i; i--)
			add_segment(random_below(&r, 4), random_below(&r, 1000));
		for (uint32_t i = 0; i < nr_frames; i++)
			step(i + 1, i * 100, (i + 1) * 100);
		finish();
		for (size_t i = 0; i < nr_got; i++) {
			if (got[i] == LANGUAGE_WORD(LANGUAGE_PYTHON, 0, NOTE_DISPLACED))
				notes++;
			else if (word_is_function(got[i]))
				ck_assert(got[i] == word(words++));
			else
				ck_assert(got[i] == ++frames);
		}
		ck_assert(words == s->nr_words && frames == nr_frames && notes <= 1);
	}
}
END_TEST

SUITE_MAIN_WITH("language_places", begin, end, functions_stand_before_the_frame_that_runs_them,
		bounds_of_a_frame, segments_without_functions, functions_without_a_place_come_last,
		order_of_calls, notes_need_no_note, numbers_that_lie, any_marks)
