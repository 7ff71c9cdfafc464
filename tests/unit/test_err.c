// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>

#include "common/err.h"
#include "tests/unit/suite.h"

static void expect_printed(const struct err *err, const char *want)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	err_print(err, "prog", out);
	fclose(out);
	ck_assert_str_eq(text, want);
	free(text);
}

START_TEST(message_and_hint)
{
	struct err err;

	ck_assert_int_eq(err_set(&err, -ENOENT, "failed to open '%s': %s", "x", "gone"), -ENOENT);
	expect_printed(&err, "prog: failed to open 'x': gone\n");
	ck_assert_int_eq(err_hint(&err, -ENOENT, "make %d", 1), -ENOENT);
	expect_printed(&err, "prog: failed to open 'x': gone\nprog: hint: make 1\n");
	ck_assert_int_eq(err_set(&err, -EIO, "other"), -EIO);
	expect_printed(&err, "prog: other\n");
}
END_TEST

START_TEST(names_are_escaped)
{
	struct err err;

	err_set(&err, -EIO, "failed to open '%s'", "a\033[1m\n");
	err_hint(&err, -EIO, "look at '%s'", "\r");
	expect_printed(&err,
		       "prog: failed to open 'a\\x1b[1m\\x0a'\nprog: hint: look at '\\x0d'\n");
}
END_TEST

START_TEST(backslashes_stay)
{
	struct err err;

	err_set(&err, -EINVAL, "'%s' is no regular expression: %s", "\\d(\033",
		"Unmatched ( or \\(");
	expect_printed(&err, "prog: '\\d(\\x1b' is no regular expression: Unmatched ( or \\(\n");
}
END_TEST

START_TEST(nobody_listens)
{
	ck_assert_int_eq(err_set(NULL, -EIO, "x"), -EIO);
	ck_assert_int_eq(err_hint(NULL, -EIO, "x"), -EIO);
}
END_TEST

START_TEST(too_long_is_cut)
{
	struct err err;
	char name[2000];

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	err_set(&err, -EIO, "%s", name);
	err_hint(&err, -EIO, "%s", name);
	ck_assert_uint_eq(strlen(err.text), sizeof(err.text) - 1);
	ck_assert_uint_eq(strlen(err.hint), sizeof(err.hint) - 1);
}
END_TEST

SUITE_MAIN("err", message_and_hint, names_are_escaped, backslashes_stay, nobody_listens,
	   too_long_is_cut)
