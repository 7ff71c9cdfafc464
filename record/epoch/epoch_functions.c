// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch_functions.h"

#include <string.h>

#include "common/hash.h"
#include "record/languages/language_names.h"

/* The instances of sources are above those of all other objects. */
#define SOURCE_INSTANCE(language) (UINT32_MAX - 255 + (language))

/* A symbol covers the byte before the offset, too, where a reader may look for it. */
#define SYMBOL_BYTES 2

static int add_string(struct epoch_tables *t, const char *s, uint32_t *id)
{
	return epoch_tables_string(t, s, strlen(s), id);
}

static int add_source(struct epoch_tables *t, const char *path, enum language language,
		      uint32_t *id)
{
	struct prof_object object = {.kind = PROF_OBJECT_ANON,
				     .instance = SOURCE_INSTANCE(language)};
	struct prof_language source = {.role = PROF_LANGUAGE_SOURCE};
	int ret = add_string(t, path, &object.path);

	if (!ret)
		ret = epoch_tables_object(t, &object, id);
	if (!ret)
		ret = add_string(t, language_name(language), &source.name);
	if (!ret)
		epoch_tables_set_language(t, *id, &source);
	return ret;
}

static int add_note(struct epoch_tables *t, uint64_t word, uint32_t *frame)
{
	static const char *const names[NR_NOTES] = {
		[NOTE_DISPLACED] = "[displaced]",
		[NOTE_UNREADABLE] = "[not readable]",
	};
	uint64_t addr = word_addr(word), note = addr < NR_NOTES ? addr : PROF_NOTE_UNNAMED;
	uint64_t offset = PROF_SOURCE_NOTE(note);
	uint32_t object;
	int ret = add_source(t, "", word_language(word), &object);

	if (!ret && names[note])
		ret = epoch_tables_symbol(t, object, offset - 1, SYMBOL_BYTES, names[note]);
	return ret ? ret : epoch_tables_frame(t, object, offset, false, frame);
}

/* Functions of one line of a source differ in their names. */
static uint64_t source_offset(const struct named_function *function)
{
	uint64_t id = hash_bytes(function->name, strlen(function->name), 0);

	return PROF_SOURCE_OFFSET(function->line, id & 0x7fffffff);
}

int epoch_functions_frame(struct epoch_tables *t, const struct function_names *names,
			  uint64_t generation, uint64_t word, uint32_t *frame)
{
	const struct named_function *function = function_names_find(names, generation, word);
	uint64_t offset;
	uint32_t object;
	int ret;

	if (!function || !function->name[0])
		return add_note(t, word, frame);
	/* The source without a path is for notes. */
	ret = add_source(t, function->file[0] ? function->file : "?", word_language(word), &object);
	offset = source_offset(function);
	if (!ret)
		ret = epoch_tables_symbol(t, object, offset - 1, SYMBOL_BYTES, function->name);
	return ret ? ret : epoch_tables_frame(t, object, offset, false, frame);
}

int epoch_functions_mark(struct epoch_tables *t, const struct epoch_sources *sources,
			 const struct mapped_file *file, uint32_t object)
{
	const struct found_interpreter *found =
		sources->interpreters ? interpreter_maps_find(sources->interpreters, file) : NULL;
	struct prof_language interpreter = {.role = PROF_LANGUAGE_UNSUPPORTED};
	int ret;

	if (!found)
		return 0;
	if (found->interpreter.language)
		interpreter.role = PROF_LANGUAGE_INTERPRETER;
	ret = add_string(t, language_name(found->language), &interpreter.name);
	if (!ret)
		ret = add_string(t, found->name, &interpreter.version);
	if (!ret)
		epoch_tables_set_language(t, object, &interpreter);
	return ret;
}
