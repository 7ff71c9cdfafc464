// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/text.h"
#include "tests/unit/suite.h"

static void expect(const char *s, enum text_mode mode, const char *want)
{
	char *text = text_escape(s, strlen(s), mode);

	ck_assert_str_eq(text, want);
	free(text);
}

START_TEST(printable_passes)
{
	expect("", TEXT_PLAIN, "");
	expect("func_ab(int, char*)", TEXT_PLAIN, "func_ab(int, char*)");
	expect("a;b", TEXT_PLAIN, "a;b");
	expect("\\x41", TEXT_PLAIN, "\\x41");
	expect("größe 漢字 😀", TEXT_PLAIN, "größe 漢字 😀");
}
END_TEST

START_TEST(controls_are_escaped)
{
	expect("a\nb\tc\rd", TEXT_PLAIN, "a\\x0ab\\x09c\\x0dd");
	expect("\033[31mred", TEXT_PLAIN, "\\x1b[31mred");
	expect("\177", TEXT_PLAIN, "\\x7f");
	expect("\302\233"
	       "31m",
	       TEXT_PLAIN, "\\xc2\\x9b31m");                   /* U+009B, CSI */
	expect("\342\200\256", TEXT_PLAIN, "\\xe2\\x80\\xae"); /* U+202E, right to left */
	expect("\342\200\250", TEXT_PLAIN, "\\xe2\\x80\\xa8"); /* U+2028, line separator */
}
END_TEST

START_TEST(bad_utf8_is_escaped)
{
	expect("\200", TEXT_PLAIN, "\\x80");
	expect("a\377b", TEXT_PLAIN, "a\\xffb");
	expect("\300\257", TEXT_PLAIN, "\\xc0\\xaf");                   /* overlong */
	expect("\355\240\200", TEXT_PLAIN, "\\xed\\xa0\\x80");          /* surrogate */
	expect("\364\220\200\200", TEXT_PLAIN, "\\xf4\\x90\\x80\\x80"); /* above U+10FFFF */
	expect("\342\202", TEXT_PLAIN, "\\xe2\\x82");                   /* cut off */
	expect("\360\237\230", TEXT_PLAIN, "\\xf0\\x9f\\x98");
}
END_TEST

START_TEST(folded_escapes_the_separator)
{
	expect("operator;(a b)", TEXT_FOLDED, "operator\\x3b(a b)");
}
END_TEST

START_TEST(nul_within_length)
{
	char *text = text_escape("a\0b", 3, TEXT_PLAIN);

	ck_assert_str_eq(text, "a\\x00b");
	free(text);
}
END_TEST

START_TEST(printing_is_escaping)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	text_print(out, "x\033;\n", TEXT_FOLDED);
	fclose(out);
	ck_assert_str_eq(text, "x\\x1b\\x3b\\x0a");
	free(text);
}
END_TEST

SUITE_MAIN("text", printable_passes, controls_are_escaped, bad_utf8_is_escaped,
	   folded_escapes_the_separator, nul_within_length, printing_is_escaping)
