// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/shown_languages.h"

#include "record/languages/language_table.h"
#include "tests/unit/suite.h"

/* Each language that profrec knows has a row, and both programs call it the same. */
START_TEST(languages_of_profrec)
{
	for (uint32_t i = LANGUAGE_NONE + 1; i < NR_LANGUAGES; i++) {
		const struct shown_language *shown = shown_language_find(languages[i].key);
		const struct shown_language *inlined =
			shown_language_find(language_inlined_name(i));

		ck_assert_msg(shown && shown->frame_type, "%s has no row", languages[i].key);
		ck_assert_str_eq(shown->name, languages[i].name);
		ck_assert_ptr_nonnull(inlined);
		ck_assert_str_eq(inlined->frame_type, shown->frame_type);
	}
	ck_assert_ptr_null(shown_language_find(""));
	ck_assert_ptr_null(shown_language_find("pyt"));
}
END_TEST

/* Their colours begin at different hues, so the ranges do not overlap. */
START_TEST(colours)
{
	for (uint32_t i = LANGUAGE_NONE + 1; i < NR_LANGUAGES; i++)
		for (uint32_t j = LANGUAGE_NONE + 1; j < i; j++) {
			uint32_t a = shown_language_find(languages[i].key)->hue;
			uint32_t b = shown_language_find(languages[j].key)->hue;

			ck_assert_uint_lt(a, 360);
			ck_assert_uint_ge(a > b ? a - b : b - a, 10);
		}
}
END_TEST

SUITE_MAIN("shown_languages", languages_of_profrec, colours)
