// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/input.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/languages/source_function.h"

/* Two texts of which each byte may become two, their dots, and the longest signs between. */
#define NAME_MAX_BYTES (2 * (2 * NAME_BYTES + 3) + 2)

/* Bytes of the character at @at, or 0 if these are no proper UTF-8. */
static size_t check_character(const uint8_t *at)
{
	size_t nr = *at < 0x80 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
	uint32_t c = nr == 1 ? *at : *at & 0x7f >> nr;
	static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};

	if (*at >= 0x80 && (*at < 0xc0 || *at >= 0xf8))
		return 0;
	for (size_t i = 1; i < nr; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (at[i] & 0x3f);
	}
	return c < lowest[nr] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0 : nr;
}

/* Text of a @kind other than 0 becomes proper UTF-8, whatever it was. */
static void check_text(const char *text, bool is_proper)
{
	if (strlen(text) > NAME_MAX_BYTES)
		abort();
	for (size_t nr; is_proper && *text; text += nr) {
		nr = check_character((const uint8_t *)text);
		if (!nr)
			abort();
	}
}

static void decode(const struct scoped_function_name *name, int verbose)
{
	const struct function_name *function = &name->function;
	enum language language = word_language(function->word);
	bool has_name = language == LANGUAGE_PHP || language == LANGUAGE_NODE;
	bool has_scope = function_name_size(function) > sizeof(*function);
	bool is_proper =
		function->name.kind && function->file.kind && (!has_scope || name->scope.kind);
	enum language method = function->line & 1 ? LANGUAGE_JAVA : LANGUAGE_BEAM;
	const struct language_text *file = method == LANGUAGE_BEAM ? &name->scope : NULL;
	struct source_function f = {.line = function->line};
	struct arena texts = {0};

	if (!source_function_decode(&texts, function, &f)) {
		check_text(f.name, is_proper);
		check_text(f.file, is_proper);
		if ((has_name && !f.name[0]) || f.line != function->line)
			abort();
		if (verbose)
			printf("%zu and %zu bytes\n", strlen(f.name), strlen(f.file));
	}
	if (!source_function_decode_method(&texts, method, &function->file, &function->name, file,
					   &f)) {
		check_text(f.name, function->name.kind && function->file.kind);
		check_text(f.file, function->file.kind && (!file || file->kind));
		if (!f.name[0] || (method == LANGUAGE_JAVA && strchr(f.file, '/')))
			abort();
	}
	arena_deinit(&texts);
}

void input_run(const uint8_t *data, size_t len, int verbose)
{
	struct scoped_function_name name = {.function = {.word = 0}};

	memcpy(&name, data, len < sizeof(name) ? len : sizeof(name));
	decode(&name, verbose);
}
