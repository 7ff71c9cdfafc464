// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch_functions.h"

#include <string.h>

#include "common/hash.h"
#include "record/languages/language_table.h"

/*
 * The instances of sources are above those of all other objects. One file can be two sources, where
 * its functions are inlined and where they are not.
 */
#define SOURCE_INSTANCE(language, is_inlined)                                                      \
	(PROF_GAP_INSTANCE + (language) + ((is_inlined) ? 128 : 0))

/* A symbol covers the byte before the offset, too, where a reader may look for it. */
#define SYMBOL_BYTES 2

/* Offset of the frame that stands for callers that a walk may have passed over. */
#define GAP_OFFSET 1

static int add_string(struct epoch_tables *t, const char *s, uint32_t *id)
{
	return epoch_tables_string(t, s, strlen(s), id);
}

static int add_source(struct epoch_tables *t, const char *path, enum language language,
		      bool is_inlined, uint32_t *id)
{
	struct prof_object object = {.kind = PROF_OBJECT_ANON,
				     .instance = SOURCE_INSTANCE(language, is_inlined)};
	struct prof_language source = {.role = PROF_LANGUAGE_SOURCE};
	int ret = add_string(t, path, &object.path);

	if (!ret)
		ret = epoch_tables_object(t, &object, id);
	if (!ret)
		ret = add_string(
			t, is_inlined ? language_inlined_name(language) : language_name(language),
			&source.name);
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
	int ret = add_source(t, "", word_language(word), false, &object);

	if (!ret && names[note])
		ret = epoch_tables_symbol(t, object, offset - 1, SYMBOL_BYTES, names[note]);
	return ret ? ret : epoch_tables_frame(t, object, offset, false, frame);
}

/* Functions of one line of a source differ in their names. */
static uint64_t source_offset(const struct source_function *function)
{
	uint64_t id = hash_bytes(function->name, strlen(function->name), 0);

	return PROF_SOURCE_OFFSET(function->line, id & 0x7fffffff);
}

static int add_function(struct epoch_tables *t, const struct source_function *function,
			enum language language, bool is_inlined, u32_vec *frames)
{
	uint64_t offset = source_offset(function);
	uint32_t object, frame;
	/* The source without a path is for notes. */
	int ret = add_source(t, function->file[0] ? function->file : "?", language, is_inlined,
			     &object);

	if (!ret)
		ret = epoch_tables_symbol(t, object, offset - 1, SYMBOL_BYTES, function->name);
	if (!ret)
		ret = epoch_tables_frame(t, object, offset, false, &frame);
	return ret ? ret : vec_push(frames, frame);
}

int epoch_functions_frames(struct epoch_tables *t, const struct function_names *names,
			   uint64_t generation, uint64_t word, u32_vec *frames)
{
	const struct source_function *inlined;
	const struct named_function *function =
		function_names_find(names, generation, word, &inlined);
	uint32_t frame;
	int ret = 0;

	if (!function || !function->own.name[0]) {
		ret = add_note(t, word, &frame);
		return ret ? ret : vec_push(frames, frame);
	}
	for (uint32_t i = 0; i < function->nr_inlined && !ret; i++)
		ret = add_function(t, &inlined[i], word_language(word), true, frames);
	return ret ? ret : add_function(t, &function->own, word_language(word), false, frames);
}

int epoch_functions_gap(struct epoch_tables *t, u32_vec *frames)
{
	struct prof_object object = {.kind = PROF_OBJECT_ANON, .instance = PROF_GAP_INSTANCE};
	uint32_t id, frame;
	int ret = add_string(t, "", &object.path);

	if (!ret)
		ret = epoch_tables_object(t, &object, &id);
	if (!ret)
		ret = epoch_tables_symbol(t, id, GAP_OFFSET - 1, SYMBOL_BYTES, "[...]");
	if (!ret)
		ret = epoch_tables_frame(t, id, GAP_OFFSET, false, &frame);
	return ret ? ret : vec_push(frames, frame);
}

int epoch_functions_mark(struct epoch_tables *t, const struct epoch_sources *sources,
			 const struct mapped_file *file, uint32_t object)
{
	const struct interpreter_of_file *known =
		sources->interpreters ? interpreter_maps_find(sources->interpreters, file) : NULL;
	struct prof_language interpreter = {.role = PROF_LANGUAGE_UNSUPPORTED};
	int ret;

	if (!known)
		return 0;
	if (known->found.interpreter.language &&
	    (known->machines.has_known || !known->machines.has_strange))
		interpreter.role = PROF_LANGUAGE_INTERPRETER;
	ret = add_string(t, language_name(known->found.language), &interpreter.name);
	if (!ret)
		ret = add_string(t, known->found.name, &interpreter.version);
	if (!ret)
		epoch_tables_set_language(t, object, &interpreter);
	return ret;
}
