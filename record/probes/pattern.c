// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* Parts of a pattern: type, library, provider, probe. */
#define PARTS_MAX 4

/* The words of a pattern between colons. Two colons in a row belong to a name of C++. */
struct parts {
	const char *begin[PARTS_MAX];
	size_t len[PARTS_MAX];
	size_t nr; /* PARTS_MAX + 1: too many */
};

static int explain_form(const struct pattern *p, struct err *err)
{
	return err_hint(
		err, -EINVAL,
		"patterns are FUNC, LIB:FUNC, p:[LIB]:FUNC, t:CATEGORY:EVENT, u:LIB:[PROVIDER:]PROBE%s",
		p->name.is_regex ? "" : "; * stands for any text");
}

/* The end of the word at @text: its colon, or the end of the text. */
static const char *word_end(const char *text, bool is_first)
{
	for (; *text; text++) {
		if (*text != ':')
			continue;
		if (text[1] != ':' || is_first)
			break;
		text++;
	}
	return text;
}

/* Splits @text. The type's empty library in p::func is a part of its own. */
static void split_parts(const char *text, struct parts *parts)
{
	bool is_typed = text[0] && text[1] == ':' && strchr(text + 2, ':');

	parts->nr = 0;
	for (;;) {
		bool is_first = parts->nr == 0 || (is_typed && parts->nr == 1 && *text == ':');
		const char *end = word_end(text, is_first);

		if (parts->nr == PARTS_MAX) {
			parts->nr++;
			return;
		}
		parts->begin[parts->nr] = text;
		parts->len[parts->nr++] = end - text;
		if (!*end)
			return;
		text = end + 1;
	}
}

static int copy_part(const struct parts *parts, size_t i, char **to)
{
	*to = strndup(parts->begin[i], parts->len[i]);
	return *to ? 0 : -ENOMEM;
}

static int compile_name(const struct pattern *p, struct name_match *match, struct err *err)
{
	_cleanup_free_ char *anchored = NULL;
	char reason[128];
	int code;

	if (asprintf(&anchored, "^(%s)$", match->text) < 0) {
		anchored = NULL;
		return -ENOMEM;
	}
	code = regcomp(&match->regex, anchored, REG_EXTENDED | REG_NOSUB);
	if (!code) {
		match->is_regex = true;
		return 0;
	}
	regerror(code, &match->regex, reason, sizeof(reason));
	return err_set(err, -EINVAL,
		       "option -e/--event: '%s' in pattern '%s' is no regular expression: %s",
		       match->text, p->text, reason);
}

/* Sets one name of the pattern. It must not be empty. */
static int set_name(struct pattern *p, struct name_match *match, const struct parts *parts,
		    size_t i, bool is_regex, struct err *err)
{
	int ret = copy_part(parts, i, &match->text);

	if (ret)
		return ret;
	if (!match->text[0]) {
		err_set(err, -EINVAL, "option -e/--event: a part of pattern '%s' is empty",
			p->text);
		return explain_form(p, err);
	}
	return is_regex ? compile_name(p, match, err) : 0;
}

/* Reads a name that is 0xOFFSET. */
static void read_offset(struct pattern *p)
{
	char *end;

	if (p->kind != PATTERN_USER && p->kind != PATTERN_EITHER)
		return;
	if (p->name.is_regex || strncmp(p->name.text, "0x", 2) != 0 || !p->name.text[2])
		return;
	errno = 0;
	p->offset = strtoull(p->name.text + 2, &end, 16);
	p->has_offset = !*end && !errno;
	if (p->has_offset)
		p->kind = PATTERN_USER;
}

static int set_typed(struct pattern *p, const struct parts *parts, bool is_regex, struct err *err)
{
	char type = parts->begin[0][0];
	size_t last = parts->nr - 1;
	int ret = 0;

	if (type != 'p' && type != 't' && type != 'u') {
		err_set(err, -EINVAL,
			"option -e/--event: the type of pattern '%s' is not p, t or u, but '%c'",
			p->text, type);
		return explain_form(p, err);
	}
	if (last > (type == 'u' ? 3 : 2)) {
		err_set(err, -EINVAL, "option -e/--event: pattern '%s' has too many parts",
			p->text);
		return explain_form(p, err);
	}
	p->kind = type == 't'      ? PATTERN_TRACEPOINT
		  : type == 'u'    ? PATTERN_USDT
		  : !parts->len[1] ? PATTERN_KERNEL
				   : PATTERN_USER;
	if (p->kind != PATTERN_KERNEL)
		ret = set_name(p, &p->place, parts, 1, is_regex && type == 't', err);
	if (!ret && last == 3)
		ret = set_name(p, &p->provider, parts, 2, is_regex, err);
	return ret ? ret : set_name(p, &p->name, parts, last, is_regex, err);
}

static int set_library(struct pattern *p, const char *library)
{
	p->kind = PATTERN_USER;
	p->place.text = strdup(library);
	return p->place.text ? 0 : -ENOMEM;
}

static int set_parts(struct pattern *p, const struct parts *parts,
		     const struct pattern_rules *rules, struct err *err)
{
	int ret = 0;

	if (parts->nr == 1) {
		p->kind = PATTERN_KERNEL;
		if (rules->library)
			ret = set_library(p, rules->library);
		return ret ? ret : set_name(p, &p->name, parts, 0, rules->is_regex, err);
	}
	if (parts->nr > 2 && parts->len[0] == 1)
		return set_typed(p, parts, rules->is_regex, err);
	if (parts->nr > 2) {
		err_set(err, -EINVAL, "option -e/--event: pattern '%s' has too many parts",
			p->text);
		return explain_form(p, err);
	}
	p->kind = memchr(parts->begin[0], '/', parts->len[0]) ? PATTERN_USER : PATTERN_EITHER;
	/* The category may have wildcards, but no library has a name that a wildcard matches. */
	ret = set_name(p, &p->place, parts, 0, false, err);
	return ret ? ret : set_name(p, &p->name, parts, 1, rules->is_regex, err);
}

/* Types of bpftrace's probes. */
static const struct {
	const char *word, *ours; /* ours is NULL: there is no such probe */
} foreign_types[] = {
	{"kprobe:", "p::"},    {"fentry:", "p::"}, {"uprobe:", "p:"}, {"usdt:", "u:"},
	{"tracepoint:", "t:"}, {"hardware:", ""},  {"software:", ""}, {"kretprobe:", NULL},
	{"uretprobe:", NULL},  {"fexit:", NULL},
};

int pattern_translate(const char *text, char **translated, struct err *err)
{
	*translated = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(foreign_types); i++) {
		size_t len = strlen(foreign_types[i].word);

		if (strncmp(text, foreign_types[i].word, len) != 0)
			continue;
		if (!foreign_types[i].ours) {
			err_set(err, -EINVAL,
				"failed to find '%s': returns of functions are not counted", text);
			return err_hint(err, -EINVAL, "'%s%s' counts the calls",
					text[0] == 'u' ? "uprobe:" : "kprobe:", text + len);
		}
		if (asprintf(translated, "%s%s", foreign_types[i].ours, text + len) >= 0)
			return 0;
		*translated = NULL;
		return err_set(err, -ENOMEM, "failed to read the options: out of memory");
	}
	return 0;
}

int pattern_parse(const char *text, const struct pattern_rules *rules, struct pattern *pattern,
		  struct err *err)
{
	struct parts parts;
	int ret;

	*pattern = (struct pattern){.text = text};
	split_parts(text, &parts);
	if (parts.nr > PARTS_MAX) {
		err_set(err, -EINVAL, "option -e/--event: pattern '%s' has too many parts", text);
		return explain_form(pattern, err);
	}
	ret = set_parts(pattern, &parts, rules, err);
	if (!ret)
		read_offset(pattern);
	return ret == -ENOMEM ? err_set(err, ret, "failed to read the options: out of memory")
			      : ret;
}

static void deinit_name(struct name_match *match)
{
	free(match->text);
	if (match->is_regex)
		regfree(&match->regex);
}

void pattern_deinit(struct pattern *pattern)
{
	deinit_name(&pattern->place);
	deinit_name(&pattern->provider);
	deinit_name(&pattern->name);
	*pattern = (struct pattern){0};
}

/* Goes back to the latest * whenever the text after it does not fit. */
static bool wildcard_matches(const char *wild, const char *name)
{
	const char *star = NULL, *retry = NULL;

	while (*name) {
		if (*wild == '*') {
			star = wild++;
			retry = name;
		} else if (*wild == *name) {
			wild++;
			name++;
		} else if (star) {
			wild = star + 1;
			name = ++retry;
		} else {
			return false;
		}
	}
	while (*wild == '*')
		wild++;
	return !*wild;
}

bool name_matches(const struct name_match *match, const char *name)
{
	if (!match->text)
		return true;
	if (match->is_regex)
		return !regexec(&match->regex, name, 0, NULL, 0);
	return wildcard_matches(match->text, name);
}

bool name_has_wildcards(const struct name_match *match)
{
	return match->is_regex || strchr(match->text, '*');
}
