// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/words.h"
#include "tests/unit/suite.h"

static const struct word_list list = {
	.names = (const char *const[]){"function", "stack", "files", "frequency", NULL}};

static const char *numbered(size_t i)
{
	return i < 3 ? ((const char *const[]){"zero", "one", "two"})[i] : NULL;
}

static const struct word_list numbers = {.word = numbered};

START_TEST(places)
{
	const struct word_list none = {0};
	unsigned int found = 7;

	ck_assert_int_eq(word_list_find(&list, "files", &found), 0);
	ck_assert_uint_eq(found, 2);
	ck_assert_int_eq(word_list_find(&numbers, "two", &found), 0);
	ck_assert_uint_eq(found, 2);
	ck_assert_int_eq(word_list_find(&list, "file", &found), -EINVAL);
	ck_assert_int_eq(word_list_find(&list, "", &found), -EINVAL);
	ck_assert_int_eq(word_list_find(&none, "", &found), -EINVAL);
	ck_assert_uint_eq(found, 2);
	ck_assert_ptr_null(word_list_get(&none, 0));
	ck_assert_ptr_null(word_list_get(&numbers, 3));
}
END_TEST

START_TEST(slips)
{
	static const char *const pairs[][2] = {
		{"frequncy", "frequency"},  {"freqeuncy", "frequency"}, {"frequenncy", "frequency"},
		{"frequemcy", "frequency"}, {"FREQUENCY", "frequency"}, {"freq", "frequency"},
		{"f", "function"},          {"fries", "files"},         {"fiels", "files"},
		{"stakc", "stack"},
	};
	static const char *const others[] = {"", "x", "flours", "frequencies", "kcats", "fils!!"};
	char longer[4096];

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		ck_assert_str_eq(word_list_suggest(&list, pairs[i][0]), pairs[i][1]);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		ck_assert_ptr_null(word_list_suggest(&list, others[i]));
	memset(longer, 'f', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	ck_assert_ptr_null(word_list_suggest(&list, longer));
	ck_assert_str_eq(word_list_suggest(&numbers, "tow"), "two");
}
END_TEST

static const char *many(size_t i)
{
	return i < 100 ? "one-of-many" : NULL;
}

START_TEST(errors)
{
	const struct word_list all = {.word = many};
	struct err err = {0};

	ck_assert_int_eq(word_list_refuse(&numbers, "unknown number", "tow", &err), -EINVAL);
	ck_assert_str_eq(err.text, "unknown number 'tow'; did you mean 'two'?");
	ck_assert_int_eq(word_list_refuse(&numbers, "unknown number", "four", &err), -EINVAL);
	ck_assert_str_eq(err.text, "unknown number 'four'; choose one of: zero, one, two");
	ck_assert_int_eq(word_list_refuse(&all, "unknown number", "four", &err), -EINVAL);
}
END_TEST

SUITE_MAIN("words", places, slips, errors)
