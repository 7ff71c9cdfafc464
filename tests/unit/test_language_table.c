// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/language_table.h"

#include <errno.h>

#include "record/languages/files/host_code.h"
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

START_TEST(names)
{
	ck_assert_str_eq(language_name(LANGUAGE_NONE), "");
	ck_assert_str_eq(language_name(LANGUAGE_PYTHON), "py");
	ck_assert_str_eq(language_name(NR_LANGUAGES - 1), languages[NR_LANGUAGES - 1].key);
	ck_assert_str_ne(language_name(NR_LANGUAGES), "");
	ck_assert_str_eq(language_inlined_name(LANGUAGE_JAVA), "java,inl");
	ck_assert_str_eq(language_inlined_name(LANGUAGE_NODE), "js,inl");
	ck_assert_str_eq(language_inlined_name(LANGUAGE_PYTHON), "py");
	ck_assert_str_eq(language_inlined_name(NR_LANGUAGES), language_name(NR_LANGUAGES));
}
END_TEST

static void expect_printed(void (*print)(FILE *f), const char *const *parts, size_t nr)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	print(f);
	fclose(f);
	for (size_t i = 0; i < nr; i++)
		ck_assert_msg(strstr(text, parts[i]) != NULL, "%s: %s", parts[i], text);
	ck_assert_int_eq(!strstr(text, "not on this architecture"), host_knows_made_code);
}

/* The lines of languages whose versions do not depend on the architecture. */
START_TEST(lines_of_lists)
{
	static const char *const table[] = {
		"LIST  language    a frame                      versions\n",
		"\nrb    Ruby        block in total_[rb]          Ruby 2.7, 3.0 to 3.4\n",
		"\njs    JavaScript  Cart.total_[js]              Node.js 18, 20, 22, 24, 26\n",
		"\nStacks are whole through code that these make, too:\n",
		"\n  PCRE2               ",
	};
	static const char *const man[] = {
		".TP\n.B rb\nRuby: Ruby 2.7, 3.0 to 3.4\n(\\fBblock in total_[rb]\\fR).\n",
	};

	expect_printed(languages_print, table, ARRAY_SIZE(table));
	if (!host_knows_made_code)
		return;
	expect_printed(languages_print_man, man, ARRAY_SIZE(man));
	expect_printed(languages_print_short,
		       (const char *const[]){" (default all: py, CPython 3.",
					     "; rb, Ruby 2.7, 3.0 to 3.4; js, Node.js ",
					     "; pl, Perl "},
		       3);
	expect_printed(languages_print,
		       (const char *const[]){"\n  PCRE2               all versions\n",
					     "\n  LuaJIT              2.1\n"},
		       2);
}
END_TEST

SUITE_MAIN("language_table", rows_are_whole, lists, words, names, lines_of_lists)
