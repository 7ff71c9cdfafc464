// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/language_table.h"

#include <errno.h>

#include "tests/unit/suite.h"

/* All that a row needs is there, and versions ascend. */
START_TEST(rows_are_whole)
{
	for (uint32_t i = LANGUAGE_NONE + 1; i < NR_LANGUAGES; i++) {
		const struct language_row *l = &languages[i];
		struct interpreter_version version, last = {0, 0};
		size_t nr = 0;

		ck_assert(l->key && l->name && l->interpreter && l->example && l->find);
		for (; l->version(nr, &version); nr++) {
			ck_assert_uint_ge(version.major << 16 | version.minor,
					  last.major << 16 | last.minor);
			last = version;
		}
		ck_assert_uint_gt(nr, 0);
	}
}
END_TEST

static void print_all(FILE *f)
{
	languages_print(f);
	languages_print_man(f);
	languages_print_short(f);
}

/* Each list has all languages. */
START_TEST(lists)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(f);
	print_all(f);
	fclose(f);
	for (uint32_t i = LANGUAGE_NONE + 1; i < NR_LANGUAGES; i++) {
		char row[32], man[32], part[64];

		snprintf(row, sizeof(row), "\n%-4s  %s", languages[i].key, languages[i].name);
		snprintf(man, sizeof(man), "\n.B %s\n", languages[i].key);
		snprintf(part, sizeof(part), "%s, %s ", languages[i].key, languages[i].interpreter);
		ck_assert_ptr_nonnull(strstr(text, row));
		ck_assert_ptr_nonnull(strstr(text, man));
		ck_assert_ptr_nonnull(strstr(text, part));
	}
	for (size_t i = 0; i < NR_CODE_MAKERS; i++)
		ck_assert_ptr_nonnull(strstr(text, code_makers[i].name));
}
END_TEST

START_TEST(words)
{
	uint32_t set = 1;
	const char *word;
	size_t i;

	for (i = 0; (word = languages_word(i)); i++)
		ck_assert_int_eq(languages_parse(word, &set), 0);
	ck_assert_uint_eq(i, NR_LANGUAGES - 1 + 2);
	ck_assert_uint_eq(set, LANGUAGES_HELP);
	ck_assert_int_eq(languages_parse("none", &set), 0);
	ck_assert_uint_eq(set, 0);
	ck_assert_int_eq(languages_parse("rb,py", &set), 0);
	ck_assert_uint_eq(set, 1u << LANGUAGE_RUBY | 1u << LANGUAGE_PYTHON);
	ck_assert_int_eq(languages_parse("py,none", &set), -EINVAL);
	ck_assert_int_eq(languages_parse("", &set), -EINVAL);
	ck_assert_uint_eq(set, 1u << LANGUAGE_RUBY | 1u << LANGUAGE_PYTHON);
}
END_TEST

SUITE_MAIN("language_table", rows_are_whole, lists, words)
