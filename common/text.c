// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/text.h"

#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hex.h"
#include "common/search.h"

/* An escaped byte has at most this length: \xNN. */
#define ESCAPE_LEN 4

size_t text_decode(const char *bytes, size_t len, uint32_t *cp)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)bytes;
	size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;

	if (n == 1) {
		*cp = s[0];
		return 1;
	}
	if (s[0] < 0xc2 || s[0] > 0xf4 || n > len)
		return 0;
	*cp = s[0] & (0xff >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*cp = *cp << 6 | (s[i] & 0x3f);
	}
	if (*cp < smallest[n] || *cp > 0x10ffff || (*cp >= 0xd800 && *cp <= 0xdfff))
		return 0;
	return n;
}

/*
 * Characters beyond Latin-1 controls that are escaped: those of the categories Cf (format, such as
 * marks that reorder a line), Zl and Zp (separators of lines and paragraphs), and others that have
 * no shape of their own (the property Default_Ignorable_Code_Point). With them, different names
 * look alike. From Unicode 15, which is the latest one with changes here.
 */
static const struct {
	uint32_t first, last;
} invisible[] = {
	{0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},     {0x61c, 0x61c},
	{0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},
	{0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},
	{0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},   {0xfe00, 0xfe0f},
	{0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x110bd, 0x110bd},
	{0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
	{0xe0000, 0xe0fff},
};

static bool is_invisible(uint32_t cp)
{
	size_t at = search_first(ARRAY_SIZE(invisible), i, invisible[i].last >= cp);

	return at < ARRAY_SIZE(invisible) && invisible[at].first <= cp;
}

bool text_is_visible(uint32_t cp)
{
	/* The C1 controls are as bad as those of ASCII: U+009B starts an escape sequence. */
	if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
		return false;
	return cp < 0xa0 || !is_invisible(cp);
}

/* Returns false for characters that are escaped. */
static bool is_printable(uint32_t cp, enum text_mode mode)
{
	if (mode == TEXT_DATA)
		return cp;
	if (mode == TEXT_FIELD)
		return cp >= 0x20 && cp != 0x7f;
	return text_is_visible(cp) && (cp != ';' || mode != TEXT_FOLDED);
}

/* Returns the value of a digit of text_escape, -1 for another character. */
static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Returns the byte that is escaped at @s of @len bytes, 0 if none is. Printable ones of ASCII never
 * are, except the semicolon.
 */
static unsigned char escaped_byte(const char *s, size_t len)
{
	int high = len >= ESCAPE_LEN && s[1] == 'x' ? digit_of(s[2]) : -1;
	int low = high >= 0 ? digit_of(s[3]) : -1;
	unsigned char byte = low >= 0 ? high << 4 | low : 0;

	return byte < 0x20 || byte >= 0x7f || byte == ';' ? byte : 0;
}

/*
 * Is the backslash at @s to become two? After the text is decoded, a single one stands for itself.
 * So nothing may follow that makes it look like an escaped byte, like the beginning of one that the
 * text after it could complete, or like half of two. Namespaces of PHP have single ones.
 */
static bool is_doubled(const char *s, size_t len, enum text_mode mode)
{
	uint32_t next;

	if (mode == TEXT_MESSAGE || mode == TEXT_DATA)
		return false;
	if (len == 1 || s[1] == '\\' || (s[1] == 'x' && len < ESCAPE_LEN) || escaped_byte(s, len))
		return true;
	return !text_decode(s + 1, len - 1, &next) || !is_printable(next, mode);
}

/*
 * Writes the escaped form of the first character of @s to @out. Returns the bytes that were read.
 */
static size_t escape_one(const char *s, size_t len, enum text_mode mode,
			 char out[static 4 * ESCAPE_LEN], size_t *out_len)
{
	uint32_t cp;
	size_t n = text_decode(s, len, &cp);
	size_t o = 0;

	if (n && cp == '\\' && is_doubled(s, len, mode)) {
		memset(out, '\\', 2);
		*out_len = 2;
		return 1;
	}
	if (n && is_printable(cp, mode)) {
		memcpy(out, s, n);
		*out_len = n;
		return n;
	}
	if (!n)
		n = 1;
	for (size_t i = 0; i < n; i++) {
		out[o++] = '\\';
		out[o++] = 'x';
		o = hex_put(out + o, (const uint8_t *)s + i, 1) - out;
	}
	*out_len = o;
	return n;
}

/* Returns true for a byte that stands for itself. Nearly all are such. */
static bool is_plain(unsigned char byte, enum text_mode mode)
{
	return byte >= 0x20 && byte < 0x7f && byte != '\\' && (byte != ';' || mode != TEXT_FOLDED);
}

char *text_escape(const char *s, size_t len, enum text_mode mode)
{
	char *text = malloc(len * ESCAPE_LEN + 1);
	size_t used = 0;

	if (!text)
		return NULL;
	for (size_t i = 0; i < len;) {
		char one[4 * ESCAPE_LEN];
		size_t n;

		if (is_plain(s[i], mode)) {
			text[used++] = s[i++];
			continue;
		}
		i += escape_one(s + i, len - i, mode, one, &n);
		memcpy(text + used, one, n);
		used += n;
	}
	text[used] = '\0';
	return text;
}

size_t text_unescape(char *s, size_t len)
{
	size_t nr = 0;

	for (size_t i = 0; i < len;) {
		unsigned char byte = s[i] == '\\' ? escaped_byte(s + i, len - i) : 0;

		if (byte) {
			s[nr++] = (char)byte;
			i += ESCAPE_LEN;
		} else {
			/* A second backslash stands for both. */
			i += s[i] == '\\' && len - i > 1 && s[i + 1] == '\\';
			s[nr++] = s[i++];
		}
	}
	return nr;
}

void text_print(FILE *out, const char *s, enum text_mode mode)
{
	size_t len = strlen(s);

	for (size_t i = 0; i < len;) {
		char one[4 * ESCAPE_LEN];
		size_t n;

		i += escape_one(s + i, len - i, mode, one, &n);
		fwrite(one, 1, n, out);
	}
}
