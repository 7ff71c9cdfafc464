// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/json_members.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/parse.h"

/* One bit of a word each tells objects from arrays. */
#define DEPTH_MAX 63

#define REPLACEMENT 0xfffd

struct scanner {
	const char *at, *end;
	uint64_t objects; /* of the values that are open, the innermost in bit 0: it is an object */
	unsigned int depth;
	bool has_key; /* of the innermost object: the next text is its value */
	char outer[JSON_KEY_BYTES], key[JSON_KEY_BYTES], value[JSON_VALUE_BYTES];
};

/* Takes the four digits of \uXXXX. Returns -1 if they are none. */
static int32_t take_unit(struct scanner *s)
{
	int32_t unit = 0;

	if (s->end - s->at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(*s->at++);

		if (digit < 0)
			return -1;
		unit = unit << 4 | digit;
	}
	return unit;
}

/* Takes what follows \u: one unit, or two for a character beyond 16 bits. */
static int32_t take_character(struct scanner *s)
{
	int32_t high = take_unit(s), low;

	if (high < 0xd800 || high > 0xdfff)
		return high;
	if (high > 0xdbff || s->end - s->at < 6 || s->at[0] != '\\' || s->at[1] != 'u')
		return REPLACEMENT;
	s->at += 2;
	low = take_unit(s);
	if (low < 0)
		return low;
	return low < 0xdc00 || low > 0xdfff ? REPLACEMENT
					    : 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

/* Writes @c in UTF-8 to @bytes. Returns the number of bytes. */
static size_t encode(int32_t c, char bytes[4])
{
	if (c < 0x80) {
		bytes[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		bytes[0] = (char)(0xc0 | c >> 6);
		bytes[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		bytes[0] = (char)(0xe0 | c >> 12);
		bytes[1] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	bytes[0] = (char)(0xf0 | c >> 18);
	bytes[1] = (char)(0x80 | (c >> 12 & 0x3f));
	bytes[2] = (char)(0x80 | (c >> 6 & 0x3f));
	bytes[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* Takes what follows a backslash. Returns a character, -1 if it is no escape. */
static int32_t take_escape(struct scanner *s)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (s->at == s->end)
		return -1;
	if (*s->at == 'u') {
		s->at++;
		return take_character(s);
	}
	found = *s->at ? strchr(letters, *s->at++) : NULL;
	return found ? meanings[found - letters] : -1;
}

/*
 * Takes a text behind its first quote into @text of @size bytes, cut between two characters if it
 * is longer. Sets it to "" if it has a NUL. Returns 0 or -EBADMSG.
 */
static int take_text(struct scanner *s, char *text, size_t size)
{
	bool has_nul = false, is_cut = false;
	size_t nr = 0;

	while (s->at < s->end && *s->at != '"') {
		char bytes[4] = {*s->at++};
		size_t nr_bytes = 1;

		if (bytes[0] == '\\') {
			int32_t c = take_escape(s);

			if (c < 0)
				return -EBADMSG;
			nr_bytes = encode(c, bytes);
		}
		has_nul |= !bytes[0];
		is_cut |= nr + nr_bytes >= size;
		if (!is_cut)
			memcpy(text + nr, bytes, nr_bytes);
		nr += is_cut ? 0 : nr_bytes;
	}
	if (s->at == s->end)
		return -EBADMSG;
	s->at++;
	text[has_nul ? 0 : nr] = '\0';
	return 0;
}

static bool in_object(const struct scanner *s)
{
	return s->depth && (s->objects & 1);
}

/* Takes a key or a value. Those that nobody asks for go where they are overwritten. */
static int take_string(struct scanner *s, json_member_fn *take, void *ctx)
{
	bool is_key = in_object(s) && !s->has_key;
	int ret;

	if (is_key) {
		s->has_key = true;
		return take_text(s,
				 s->depth == 1   ? s->outer
				 : s->depth == 2 ? s->key
						 : s->value,
				 JSON_KEY_BYTES);
	}
	ret = take_text(s, s->value, sizeof(s->value));
	if (ret || !in_object(s) || !s->value[0])
		return ret;
	if (s->depth == 1)
		return take(ctx, "", s->outer, s->value);
	/* A member without a name is not the text's own. */
	return s->depth == 2 && (s->objects & 2) && s->outer[0]
		       ? take(ctx, s->outer, s->key, s->value)
		       : 0;
}

static int open_value(struct scanner *s, bool is_object)
{
	if (s->depth == DEPTH_MAX)
		return -EBADMSG;
	s->depth++;
	s->objects = s->objects << 1 | is_object;
	s->has_key = false;
	return 0;
}

static int close_value(struct scanner *s)
{
	if (!s->depth)
		return -EBADMSG;
	s->depth--;
	s->objects >>= 1;
	/* What was closed was the value of its key. */
	s->has_key = true;
	return 0;
}

int json_members_visit(const char *json, size_t len, json_member_fn *take, void *ctx)
{
	struct scanner s = {.at = json, .end = json + len};
	int ret = 0;

	while (!ret && s.at < s.end) {
		char c = *s.at++;

		if (c == '"')
			ret = take_string(&s, take, ctx);
		else if (c == '{' || c == '[')
			ret = open_value(&s, c == '{');
		else if (c == '}' || c == ']')
			ret = close_value(&s);
		else if (c == ',')
			s.has_key = false;
		else if (!c || !strchr(": \t\r\n+-.0123456789eEtrufalsn", c))
			ret = -EBADMSG;
	}
	return ret ? ret : s.depth ? -EBADMSG : 0;
}
