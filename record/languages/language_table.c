// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/language_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/languages/files/code_maker_symbols.h"
#include "record/languages/files/host_code.h"
#include "record/languages/files/language_files.h"
#include "record/languages/files/other_runtimes.h"
#include "record/languages/files/php_loop.h"

const struct language_row languages[NR_LANGUAGES] = {
	[LANGUAGE_PYTHON] = {.key = "py",
			     .name = "Python",
			     .interpreter = "CPython",
			     .example = "Cart.total",
			     .version = python_version,
			     .find = python_find},
	[LANGUAGE_JAVA] = {.key = "java",
			   .inlined_key = "java,inl",
			   .name = "Java",
			   .interpreter = "HotSpot",
			   .example = "java.util.List.sort",
			   .version = java_version,
			   .find = java_find},
	[LANGUAGE_PHP] = {.key = "php",
			  .name = "PHP",
			  .interpreter = "PHP",
			  .example = "Cart::total",
			  .version = php_version,
			  .find = php_find},
	[LANGUAGE_BEAM] = {.key = "beam",
			   .name = "Erlang",
			   .interpreter = "Erlang/OTP",
			   .example = "lists:map/2",
			   .version = beam_version,
			   .find = beam_find},
	[LANGUAGE_RUBY] = {.key = "rb",
			   .name = "Ruby",
			   .interpreter = "Ruby",
			   .example = "block in total",
			   .version = ruby_version,
			   .find = ruby_find},
	[LANGUAGE_NODE] = {.key = "js",
			   .inlined_key = "js,inl",
			   .name = "JavaScript",
			   .interpreter = "Node.js",
			   .example = "Cart.total",
			   .version = node_version,
			   .find = node_find},
	[LANGUAGE_PERL] = {.key = "pl",
			   .name = "Perl",
			   .interpreter = "Perl",
			   .example = "Cart::total",
			   .version = perl_version,
			   .find = perl_find},
};

const struct code_maker code_makers[NR_CODE_MAKERS] = {
	{.name = "python3 -X perf", .version = python_stub_version},
	{.name = "PHP's JIT compiler", .version = php_loop_version},
	{.name = "ruby --yjit", .version = ruby_yjit_version},
	{.name = "LuaJIT", .version = lua_version, .find = lua_find},
	{.name = "Guile", .version = guile_version, .find = guile_find},
	{.name = "PCRE2", .find = regex_find},
};

const char *language_name(uint32_t language)
{
	if (language >= NR_LANGUAGES)
		return other_runtime_key(language);
	return languages[language].key ? languages[language].key : "";
}

const char *language_inlined_name(enum language language)
{
	if (language < NR_LANGUAGES && languages[language].inlined_key)
		return languages[language].inlined_key;
	return language_name(language);
}

/* The bit of the language with the name of @len bytes at @name; 0: there is none. */
static uint32_t find_name(const char *name, size_t len)
{
	for (uint32_t i = LANGUAGE_NONE + 1; i < NR_LANGUAGES; i++)
		if (strlen(languages[i].key) == len && !memcmp(languages[i].key, name, len))
			return 1u << i;
	return 0;
}

static int parse_list(const char *text, uint32_t *target)
{
	uint32_t set = 0;

	for (;;) {
		size_t len = strcspn(text, ",");
		uint32_t bit = find_name(text, len);

		if (!bit)
			return -EINVAL;
		set |= bit;
		if (!text[len])
			break;
		text += len + 1;
	}
	*target = set;
	return 0;
}

static const struct {
	const char *word;
	uint32_t set;
	bool is_hidden;
} words[] = {{"none", 0, false},
	     {"help", LANGUAGES_HELP, false},
	     {"help-man", LANGUAGES_HELP_MAN, true}};

int languages_parse(const char *text, void *target)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(text, words[i].word) != 0)
			continue;
		*(uint32_t *)target = words[i].set;
		return 0;
	}
	return parse_list(text, target);
}

const char *languages_word(size_t i)
{
	const size_t nr_keys = NR_LANGUAGES - 1;

	if (i < nr_keys)
		return languages[LANGUAGE_NONE + 1 + i].key;
	i -= nr_keys;
	return i < ARRAY_SIZE(words) && !words[i].is_hidden ? words[i].word : NULL;
}

/* Has nobody judged any version on this architecture? */
static bool has_no_version(interpreter_version_fn version)
{
	struct interpreter_version first;

	return version ? !version(0, &first) : !host_knows_made_code;
}

#define NO_VERSION "not on this architecture"

/* "CPython 3.9 to 3.15", in memory of its own; NULL: there is no memory. */
static char *versions_text(const char *name, interpreter_version_fn version)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	fputs(name, f);
	if (has_no_version(version)) {
		fputs(": " NO_VERSION, f);
	} else if (version) {
		fputc(' ', f);
		interpreter_versions_print(version, f);
	}
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}

void languages_print_short(FILE *f)
{
	fputs(" (default all: ", f);
	for (uint32_t i = LANGUAGE_NONE + 1; i < NR_LANGUAGES; i++) {
		if (has_no_version(languages[i].version))
			continue;
		fprintf(f, "%s%s, %s ", i > LANGUAGE_NONE + 1 ? "; " : "", languages[i].key,
			languages[i].interpreter);
		interpreter_versions_print(languages[i].version, f);
	}
	fputs(")", f);
}

#define TABLE_ROW "%-4s  %-10s  %-27s  %s\n"

/* Columns have two spaces or more between them. */
void languages_print(FILE *f)
{
	fprintf(f, TABLE_ROW, "LIST", "language", "a frame", "versions");
	for (uint32_t i = LANGUAGE_NONE + 1; i < NR_LANGUAGES; i++) {
		const struct language_row *l = &languages[i];
		_cleanup_free_ char *versions = versions_text(l->interpreter, l->version);
		char frame[64];

		snprintf(frame, sizeof(frame), "%s_[%s]", l->example, l->key);
		fprintf(f, TABLE_ROW, l->key, l->name, frame, versions ? versions : "");
	}
	fputs("\nStacks are whole through code that these make, too:\n", f);
	for (size_t i = 0; i < NR_CODE_MAKERS; i++) {
		fprintf(f, "  %-20s", code_makers[i].name);
		if (has_no_version(code_makers[i].version))
			fputs(NO_VERSION, f);
		else if (code_makers[i].version)
			interpreter_versions_print(code_makers[i].version, f);
		else
			fputs("all versions", f);
		fputc('\n', f);
	}
}

void languages_print_man(FILE *f)
{
	for (uint32_t i = LANGUAGE_NONE + 1; i < NR_LANGUAGES; i++) {
		const struct language_row *l = &languages[i];
		_cleanup_free_ char *versions = versions_text(l->interpreter, l->version);

		fprintf(f, ".TP\n.B %s\n%s: %s\n(\\fB%s_[%s]\\fR).\n", l->key, l->name,
			versions ? versions : "", l->example, l->key);
	}
}
