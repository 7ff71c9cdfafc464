// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/suite.h"

static void expect(const char *s, enum text_mode mode, const char *want)
{
	char *text = text_escape(s, strlen(s), mode);

	ck_assert_str_eq(text, want);
	free(text);
}

static bool is_escaped(uint32_t cp)
{
	char s[5] = {0}, *text;
	bool escaped;

	if (cp < 0x800) {
		s[0] = (char)(0xc0 | cp >> 6);
		s[1] = (char)(0x80 | (cp & 0x3f));
	} else if (cp < 0x10000) {
		s[0] = (char)(0xe0 | cp >> 12);
		s[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		s[2] = (char)(0x80 | (cp & 0x3f));
	} else {
		s[0] = (char)(0xf0 | cp >> 18);
		s[1] = (char)(0x80 | (cp >> 12 & 0x3f));
		s[2] = (char)(0x80 | (cp >> 6 & 0x3f));
		s[3] = (char)(0x80 | (cp & 0x3f));
	}
	text = text_escape(s, strlen(s), TEXT_PLAIN);
	escaped = text[0] == '\\' && text[1] == 'x';
	ck_assert_str_eq(escaped ? s : text, s);
	free(text);
	return escaped;
}

START_TEST(printable_passes)
{
	expect("", TEXT_PLAIN, "");
	expect("func_ab(int, char*)", TEXT_PLAIN, "func_ab(int, char*)");
	expect("a;b", TEXT_PLAIN, "a;b");
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

/* Text that looks like an escaped byte is not one. */
START_TEST(backslash_is_escaped)
{
	expect("\\", TEXT_PLAIN, "\\\\");
	expect("\\x1b", TEXT_PLAIN, "\\\\x1b");
	expect("\\\\", TEXT_PLAIN, "\\\\\\\\");
	expect("\\\033", TEXT_PLAIN, "\\\\\\x1b");
	expect("C:\\;", TEXT_FOLDED, "C:\\\\\\x3b");
	expect("\\\342\200\256", TEXT_PLAIN, "\\\\\\xe2\\x80\\xae");
	expect("\\\377", TEXT_PLAIN, "\\\\\\xff");
}
END_TEST

START_TEST(other_backslashes_stay)
{
	expect("App\\Page\\Controller::f", TEXT_FOLDED, "App\\Page\\Controller::f");
	expect("App\\xml\\f", TEXT_FOLDED, "App\\xml\\f");
	/* Those of systemd stand for bytes that are never escaped here, except these. */
	expect("my\\x2dapp.service", TEXT_PLAIN, "my\\x2dapp.service");
	expect("\\xc3\\xbc\\x7f\\x3b", TEXT_PLAIN, "\\\\xc3\\\\xbc\\\\x7f\\\\x3b");
	/* What follows the text could make these an escaped byte. */
	expect("\\x", TEXT_PLAIN, "\\\\x");
	expect("\\x1", TEXT_PLAIN, "\\\\x1");
	expect("\\xC3", TEXT_PLAIN, "\\xC3");
	expect("C:\\;", TEXT_PLAIN, "C:\\;");
	expect("C:\\a;b", TEXT_FOLDED, "C:\\a\\x3bb");
	expect("\\\\a", TEXT_PLAIN, "\\\\\\a");
	expect("a\\größe", TEXT_PLAIN, "a\\größe");
}
END_TEST

/* What other programs read has names as they are, as far as it can hold them. */
START_TEST(data_stays)
{
	expect("my\\x2d\\\\a\\x1b\\", TEXT_DATA, "my\\x2d\\\\a\\x1b\\");
	expect("\033[1m\t;\302\233\342\200\256", TEXT_DATA, "\033[1m\t;\302\233\342\200\256");
	expect("a\377b\355\240\200", TEXT_DATA, "a\\xffb\\xed\\xa0\\x80");
	expect("a\tb\n;\177", TEXT_FIELD, "a\\x09b\\x0a;\\x7f");
	expect("\302\233\342\200\256\377", TEXT_FIELD, "\302\233\342\200\256\\xff");
	expect("my\\x2dapp\\x09", TEXT_FIELD, "my\\x2dapp\\\\x09");
}
END_TEST

/* No two names have one text: all names of some bytes come back. */
START_TEST(names_come_back)
{
	static const char bytes[] = {'\\', 'x', '2', 'd', '\033', ';', '\377', '1', 'b'};
	static const enum text_mode modes[] = {TEXT_PLAIN, TEXT_FOLDED, TEXT_FIELD};
	char name[6];
	uint32_t nr_names = 9 * 9 * 9 * 9 * 9 * 9;

	for (uint32_t i = 0; i < nr_names; i++) {
		for (uint32_t k = 0, rest = i; k < sizeof(name); k++, rest /= 9)
			name[k] = bytes[rest % 9];
		for (size_t k = 0; k < sizeof(modes) / sizeof(modes[0]); k++) {
			char *text = text_escape(name, sizeof(name), modes[k]);

			ck_assert_uint_eq(text_unescape(text, strlen(text)), sizeof(name));
			ck_assert_mem_eq(text, name, sizeof(name));
			free(text);
		}
	}
}
END_TEST

/* Characters without a shape of their own: with them, two names look alike. */
START_TEST(invisible_is_escaped)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},     {0x61c, 0x61c},
		{0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x2064},
		{0x2066, 0x206f},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xfff9, 0xfffb},
		{0x1d173, 0x1d17a}, {0xe0001, 0xe0001}, {0xe0020, 0xe007f}, {0xe0100, 0xe01ef},
	};

	static const uint32_t visible[] = {0xac,   0xae,   0x61b,   0x61d,   0x200a,  0x2010,
					   0x2027, 0x202f, 0x205f,  0x2070,  0x3163,  0xfe10,
					   0xfffc, 0xfffd, 0x1f600, 0xdffff, 0xe1000, 0x10ffff};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		for (uint32_t cp = ranges[i].first; cp <= ranges[i].last; cp++)
			ck_assert_msg(is_escaped(cp), "U+%04X", cp);
	for (size_t i = 0; i < sizeof(visible) / sizeof(visible[0]); i++)
		ck_assert_msg(!is_escaped(visible[i]), "U+%04X", visible[i]);
	expect("a\342\200\213b", TEXT_PLAIN, "a\\xe2\\x80\\x8bb");
	expect("\363\240\201\201", TEXT_PLAIN, "\\xf3\\xa0\\x81\\x81"); /* U+E0041 */
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

SUITE_MAIN("text", printable_passes, controls_are_escaped, backslash_is_escaped,
	   other_backslashes_stay, data_stays, names_come_back, invisible_is_escaped,
	   bad_utf8_is_escaped, folded_escapes_the_separator, nul_within_length,
	   printing_is_escaping)
