// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text is that of libiberty, so a few rules are enough. A '<' or '(' after a name begins
 * arguments. At any other place it begins a type that has to stay: "<T as Trait>::f" of Rust.
 */
#include "report/demangle/short_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "common/cleanup.h"

/* Brackets inside each other; a name with more stays as it is from there on. */
#define NESTING_MAX 256

#define ANONYMOUS "(anonymous namespace)"

struct shortener {
	const char *in;
	char *text;  /* the result, which is never longer than the part of in that is read */
	size_t nr;   /* bytes of the result */
	size_t word; /* the last word of the result begins here */
	bool after_operator; /* the result ends with an operator's name */
};

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool has_prefix(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* Returns the length of one suffix at the end of @name, 0 if there is none. */
static size_t clone_suffix(const char *name, size_t len)
{
	static const char *const words[] = {"cold",     "part", "constprop", "isra",
					    "lto_priv", "llvm", "localalias"};
	size_t end = len, at;

	while (end && isdigit((unsigned char)name[end - 1]))
		end--;
	if (end < len && (!end || name[--end] != '.'))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		at = strlen(words[i]);
		if (end > at + 1 && name[end - at - 1] == '.' &&
		    !memcmp(name + end - at, words[i], at))
			return len - (end - at - 1);
	}
	return 0;
}

size_t short_name_length(const char *name, size_t len)
{
	size_t suffix;

	while ((suffix = clone_suffix(name, len)))
		len -= suffix;
	return len;
}

/* Returns the place after the bracket that closes the one at @p, NULL if none does. */
static const char *skip_group(const char *p)
{
	char closers[NESTING_MAX];
	size_t nr = 0;

	for (; *p; p++) {
		const char *opener = strchr("([{<", *p);

		if (opener) {
			if (nr == NESTING_MAX)
				return NULL;
			closers[nr++] = ")]}>"[opener - "([{<"];
			continue;
		}
		if (!strchr(")]}>", *p) || (*p == '>' && (p[-1] == '-' || closers[nr - 1] != '>')))
			continue;
		/* A '<' that was no bracket has nothing to close it. */
		while (nr && closers[nr - 1] != *p)
			nr--;
		if (!nr)
			return NULL;
		if (!--nr)
			return p + 1;
	}
	return NULL;
}

static void copy_text(struct shortener *s, size_t len)
{
	memmove(s->text + s->nr, s->in, len);
	s->nr += len;
	s->in += len;
}

/* Copies the name of an operator, "operator<<", whose brackets are none. */
static bool copy_operator(struct shortener *s)
{
	static const char *const symbols[] = {
		"<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">",
		",",   "=",   "!",   "+",   "-",  "*",  "/",  "%",  "^",  "&",  "|",  "~"};

	if (!has_prefix(s->in, "operator") || is_name_char(s->in[strlen("operator")]) ||
	    (s->nr && is_name_char(s->text[s->nr - 1])))
		return false;
	copy_text(s, strlen("operator"));
	for (size_t i = 0; i < ARRAY_SIZE(symbols); i++) {
		if (!has_prefix(s->in, symbols[i]))
			continue;
		copy_text(s, strlen(symbols[i]));
		if (*s->in == '=')
			copy_text(s, 1);
		s->after_operator = true;
		if (s->in[0] == ' ' && s->in[1] == '<')
			s->in++;
		break;
	}
	return true;
}

/* A bracket here begins arguments of the name before it. */
static bool is_after_name(const struct shortener *s)
{
	return s->nr && (s->after_operator || is_name_char(s->text[s->nr - 1]) ||
			 strchr("}]", s->text[s->nr - 1]));
}

static bool is_after_colons(const struct shortener *s)
{
	return s->nr >= 2 && s->text[s->nr - 1] == ':' && s->text[s->nr - 2] == ':';
}

/* Drops template arguments. Returns false if there are none here. */
static bool drop_template(struct shortener *s)
{
	const char *end;

	if (*s->in != '<' || (!is_after_name(s) && !is_after_colons(s)))
		return false;
	end = skip_group(s->in);
	if (!end)
		return false;
	if (!is_after_name(s)) /* "f::<T>" */
		s->nr -= 2;
	s->in = end;
	return true;
}

/*
 * Drops parameters. A local name follows those of its function, and the return type of the function
 * stands before it.
 */
static bool drop_parameters(struct shortener *s)
{
	static const char *const qualifiers[] = {" const", " volatile", " &&", " &"};
	const char *end;

	if (*s->in != '(' || !is_after_name(s))
		return false;
	end = skip_group(s->in);
	if (!end)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(qualifiers); i++)
		if (has_prefix(end, qualifiers[i]))
			end += strlen(qualifiers[i]);
	if (has_prefix(end, "::") && s->word) {
		s->nr -= s->word;
		memmove(s->text, s->text + s->word, s->nr);
		s->word = 0;
	}
	s->in = end;
	return true;
}

/* Drops template arguments of D: "f!int", "f!(int, char)". */
static bool drop_instance(struct shortener *s)
{
	const char *end = s->in + 1;

	if (*s->in != '!' || !is_after_name(s) || (*end != '(' && !is_name_char(*end)))
		return false;
	if (*end == '(')
		end = skip_group(end);
	while (end && is_name_char(*end))
		end++;
	if (!end)
		return false;
	s->in = end;
	return true;
}

void short_name_make(char *text)
{
	struct shortener s = {.in = text, .text = text};

	while (*s.in && !has_prefix(s.in, " [clone ")) {
		if (drop_template(&s) || drop_parameters(&s) || drop_instance(&s))
			continue;
		s.after_operator = false;
		if (copy_operator(&s))
			continue;
		if (has_prefix(s.in, ANONYMOUS)) {
			copy_text(&s, strlen(ANONYMOUS));
			continue;
		}
		copy_text(&s, *s.in == '-' && s.in[1] == '>' ? 2 : 1);
		if (s.text[s.nr - 1] == ' ')
			s.word = s.nr;
	}
	text[s.nr] = '\0';
}
