// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf/languages/languages.h"

#include "bpf/shared.h"
#include "tests/unit/suite.h"

#define ADDR_MAX     ((1ULL << WORD_ADDR_BITS) - 1)
#define LANGUAGE_MAX ((1 << WORD_LANGUAGE_BITS) - 1)

/* Each language that has room, with the lowest and the highest check and address. */
START_TEST(parts_of_a_word)
{
	for (uint32_t language = LANGUAGE_NONE; language <= LANGUAGE_MAX; language++) {
		const uint64_t low = LANGUAGE_WORD(language, 0, 0);
		const uint64_t high = LANGUAGE_WORD(language, 0xfff, ADDR_MAX);

		ck_assert_uint_eq(word_language(low), language);
		ck_assert_uint_eq(word_language(high), language);
		ck_assert_uint_eq(word_addr(low), 0);
		ck_assert_uint_eq(word_addr(high), ADDR_MAX);
		ck_assert_int_eq(word_is_function(high),
				 language != LANGUAGE_NONE && language < NR_LANGUAGES);
		ck_assert(!stack_frame_is_exact(low));
		ck_assert(!stack_frame_is_exact(high));
		ck_assert(!stack_frame_is_uncertain(low));
		ck_assert(!stack_frame_is_uncertain(high));
		ck_assert_uint_eq(stack_frame_addr(low), low);
		ck_assert_uint_eq(stack_frame_addr(high), high);
	}
}
END_TEST

/* What is too long for its part leaves the others alone. */
START_TEST(parts_that_are_too_long)
{
	ck_assert_uint_eq(LANGUAGE_WORD(LANGUAGE_PHP, 0x1fff, 1),
			  LANGUAGE_WORD(LANGUAGE_PHP, 0xfff, 1));
	ck_assert_uint_eq(LANGUAGE_WORD(LANGUAGE_PHP, 1, ~0ULL),
			  LANGUAGE_WORD(LANGUAGE_PHP, 1, ADDR_MAX));
}
END_TEST

START_TEST(addresses_are_no_words)
{
	const uint64_t user_max = (1ULL << 56) - 1;

	ck_assert(!word_is_function(0));
	ck_assert(!word_is_function(user_max));
	ck_assert(!word_is_function(user_max | STACK_FRAME_EXACT));
	ck_assert(!word_is_function(STACK_FRAME_EXACT));
	ck_assert(!word_is_function(0xffffffffff600000)); /* vsyscall */
}
END_TEST

SUITE_MAIN("languages", parts_of_a_word, parts_that_are_too_long, addresses_are_no_words)
