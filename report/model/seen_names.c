// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/seen_names.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/hash.h"
#include "common/sort.h"

/*
 * A symbol is found by the blocks of code that it touches. The blocks of level n have 1 << n bytes.
 * A symbol's level is the lowest whose blocks are not smaller than itself, so it touches two at
 * most, and a block has few symbols of its level: they hardly overlap. Lines are of level 0.
 */
#define LEVEL_MAX 63

int seen_names_init(struct seen_names *seen)
{
	return model_init(&seen->names);
}

void seen_names_deinit(struct seen_names *seen)
{
	model_deinit(&seen->names);
	vec_free(&seen->frames);
	index_deinit(&seen->symbol_blocks);
	index_deinit(&seen->line_blocks);
	*seen = (struct seen_names){0};
}

/* Other objects are not equal in two epochs, or have their symbols in each. */
static bool is_lasting(uint8_t kind, uint8_t build_id_size)
{
	return kind == PROF_OBJECT_FILE && build_id_size;
}

uint64_t seen_names_bytes(const struct seen_names *seen)
{
	return model_bytes(&seen->names) + vec_bytes(&seen->frames) +
	       index_bytes(&seen->symbol_blocks) + index_bytes(&seen->line_blocks);
}

int seen_names_add(struct seen_names *seen, const struct prof_epoch *epoch)
{
	_cleanup_free_ struct prof_symbol *symbols =
		calloc((size_t)epoch->nr_symbols + 1, sizeof(*symbols));
	_cleanup_free_ struct prof_line *lines =
		calloc((size_t)epoch->nr_lines + 1, sizeof(*lines));
	struct prof_epoch part = {
		.strings = epoch->strings,
		.nr_strings = epoch->nr_strings,
		.objects = epoch->objects,
		.nr_objects = epoch->nr_objects,
		.symbols = symbols,
		.lines = lines,
		.source_frames = epoch->source_frames,
	};

	_cleanup_free_ struct prof_name_source *sources =
		calloc((size_t)epoch->nr_name_sources + 1, sizeof(*sources));

	if (!symbols || !lines || !sources)
		return -ENOMEM;
	for (uint32_t i = 0; i < epoch->nr_symbols; i++) {
		const struct prof_object *object = &epoch->objects[epoch->symbols[i].object];

		if (is_lasting(object->kind, object->build_id_size))
			symbols[part.nr_symbols++] = epoch->symbols[i];
	}
	for (uint32_t i = 0; i < epoch->nr_lines; i++) {
		const struct prof_object *object = &epoch->objects[epoch->lines[i].object];

		if (is_lasting(object->kind, object->build_id_size))
			lines[part.nr_lines++] = epoch->lines[i];
	}
	part.name_sources = sources;
	for (uint32_t i = 0; i < epoch->nr_name_sources; i++) {
		const struct prof_object *object = &epoch->objects[epoch->name_sources[i].object];

		if (is_lasting(object->kind, object->build_id_size))
			sources[part.nr_name_sources++] = epoch->name_sources[i];
	}
	return part.nr_symbols || part.nr_lines || part.nr_name_sources
		       ? model_add_epoch(&seen->names, &part)
		       : 0;
}

/* Returns the object of @in that is object @id of @from, 0 if there is none or it does not last. */
static uint32_t find_object(const struct model *from, uint32_t id, const struct model *in)
{
	const struct string *path = &from->strings.items.data[from->objects.data[id].key.path];
	struct object_key key;
	uint32_t found;

	/* Keys are compared as bytes. */
	memcpy(&key, &from->objects.data[id].key, sizeof(key));
	return is_lasting(key.kind, key.build_id.size) &&
			       string_set_find(&in->strings, path->s, path->len, &key.path) &&
			       model_find_object(in, &key, &found)
		       ? found
		       : 0;
}

/* Sets the object of @model, or 0, for each seen object. */
static int match_objects(const struct seen_names *seen, const struct model *model,
			 uint32_t **objects)
{
	uint32_t *ids = calloc(seen->names.objects.nr, sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	for (uint32_t i = 0; i < seen->names.objects.nr; i++)
		ids[i] = find_object(&seen->names, i, model);
	*objects = ids;
	return 0;
}

/* Adds string @id of the seen names to those of @model. */
static int give_string(const struct seen_names *seen, struct model *model, uint32_t id,
		       uint32_t *given)
{
	const struct string *string = &seen->names.strings.items.data[id];

	return string_set_add(&model->strings, string->s, string->len, given);
}

/* Adds seen symbol @id to @object of @model. */
static int give_symbol(const struct seen_names *seen, uint32_t id, struct model *model,
		       uint32_t object)
{
	struct prof_symbol given = seen->names.symbols.data[id];
	int ret = give_string(seen, model, given.name, &given.name);

	given.object = object;
	return ret ? ret : model_add_symbol(model, &given);
}

/* Adds seen line @id to @object of @model. */
static int give_line(const struct seen_names *seen, uint32_t id, struct model *model,
		     uint32_t object)
{
	const struct model_line *line = &seen->names.lines.data[id];
	int ret = 0;

	for (uint32_t i = 0; i < line->nr_frames && !ret; i++) {
		struct prof_source_frame given =
			seen->names.source_frames.data[line->first_frame + i];

		ret = give_string(seen, model, given.name, &given.name);
		if (!ret)
			ret = give_string(seen, model, given.file, &given.file);
		if (!ret)
			ret = vec_push(&model->source_frames, given);
	}
	return ret ? ret : model_add_line(model, object, line->offset, line->nr_frames);
}

static int give_symbols(const struct seen_names *seen, struct model *model, const uint32_t *objects)
{
	int ret = 0;

	for (uint32_t i = 0; i < seen->names.symbols.nr && !ret; i++)
		if (objects[seen->names.symbols.data[i].object])
			ret = give_symbol(seen, i, model,
					  objects[seen->names.symbols.data[i].object]);
	return ret;
}

static int give_lines(const struct seen_names *seen, struct model *model, const uint32_t *objects)
{
	int ret = 0;

	for (uint32_t i = 0; i < seen->names.lines.nr && !ret; i++)
		if (objects[seen->names.lines.data[i].object])
			ret = give_line(seen, i, model, objects[seen->names.lines.data[i].object]);
	return ret;
}

static int give_sources(const struct seen_names *seen, struct model *model, const uint32_t *objects)
{
	vec_for_each(&seen->names.name_sources, source) {
		struct prof_name_source given = *source;
		int ret;

		given.object = objects[source->object];
		if (!given.object)
			continue;
		ret = give_string(seen, model, source->file, &given.file);
		if (!ret)
			ret = model_add_name_source(model, &given);
		if (ret)
			return ret;
	}
	return 0;
}

int seen_names_give(const struct seen_names *seen, struct model *model)
{
	_cleanup_free_ uint32_t *objects = NULL;
	int ret = match_objects(seen, model, &objects);

	if (!ret)
		ret = give_symbols(seen, model, objects);
	if (!ret)
		ret = give_sources(seen, model, objects);
	return ret ? ret : give_lines(seen, model, objects);
}

static uint64_t hash_block(uint32_t object, uint32_t level, uint64_t offset)
{
	const uint64_t key[] = {(uint64_t)object << 32 | level, offset >> level};

	return hash_bytes(key, sizeof(key), 0);
}

static uint32_t level_of(uint64_t size)
{
	uint32_t level = 0;

	while (level < LEVEL_MAX && UINT64_C(1) << level < size)
		level++;
	return level;
}

/* Enters seen symbol @id. Returns 0 or -ENOMEM. */
static int index_symbol(struct seen_names *seen, uint32_t id)
{
	const struct prof_symbol *symbol = &seen->names.symbols.data[id];
	uint32_t level = level_of(symbol->size);
	uint64_t last = symbol->offset + symbol->size - 1;
	int ret;

	if (!symbol->size)
		return 0;
	seen->levels |= UINT64_C(1) << level;
	ret = index_insert(&seen->symbol_blocks, hash_block(symbol->object, level, symbol->offset),
			   id);
	if (!ret && last >> level != symbol->offset >> level)
		ret = index_insert(&seen->symbol_blocks, hash_block(symbol->object, level, last),
				   id);
	return ret;
}

/* Enters the symbols and lines that were added since the last time. Returns 0 or -ENOMEM. */
static int index_names(struct seen_names *seen)
{
	int ret = 0;

	for (; seen->nr_symbols < seen->names.symbols.nr && !ret; seen->nr_symbols++)
		ret = index_symbol(seen, seen->nr_symbols);
	for (; seen->nr_lines < seen->names.lines.nr && !ret; seen->nr_lines++) {
		const struct model_line *line = &seen->names.lines.data[seen->nr_lines];

		ret = index_insert(&seen->line_blocks, hash_block(line->object, 0, line->offset),
				   seen->nr_lines);
	}
	return ret;
}

static int compare_frames(const void *a, const void *b)
{
	const struct unnamed_frame *x = a, *y = b;

	COMPARE(x->seen, y->seen);
	COMPARE(x->offset, y->offset);
	return 0;
}

/* Collects the frames of @model whose objects may have seen names. Returns 0 or -ENOMEM. */
static int gather_frames(struct seen_names *seen, const struct model *model)
{
	_cleanup_free_ uint32_t *ids = calloc(model->objects.nr, sizeof(*ids));
	int ret = ids ? 0 : -ENOMEM;

	vec_clear(&seen->frames);
	for (uint32_t i = 0; i < model->objects.nr && !ret; i++)
		ids[i] = find_object(model, i, &seen->names);
	for (size_t i = 0; i < model->frames.nr && !ret; i++) {
		const struct model_frame *frame = &model->frames.data[i];
		struct unnamed_frame new = {ids[frame->object], frame->object, frame->offset};

		if (!new.seen)
			continue;
		ret = vec_push(&seen->frames, new);
		/* A caller is called by the instruction before its address. */
		new.offset--;
		if (!ret && !frame->is_exact)
			ret = vec_push(&seen->frames, new);
	}
	sort_items(seen->frames.data, seen->frames.nr, sizeof(*seen->frames.data), compare_frames);
	return ret;
}

/* Gives the symbols of @level that touch blocks with frames. */
static int give_symbols_near(const struct seen_names *seen, struct model *model, uint32_t level)
{
	const struct unnamed_frame *last = NULL;

	vec_for_each(&seen->frames, frame) {
		if (last && last->seen == frame->seen &&
		    last->offset >> level == frame->offset >> level)
			continue;
		last = frame;
		index_for_each(&seen->symbol_blocks, hash_block(frame->seen, level, frame->offset),
			       i) {
			int ret = seen->names.symbols.data[i].object == frame->seen
					  ? give_symbol(seen, i, model, frame->object)
					  : 0;

			if (ret)
				return ret;
		}
	}
	return 0;
}

static int give_lines_at(const struct seen_names *seen, struct model *model)
{
	vec_for_each(&seen->frames, frame) {
		index_for_each(&seen->line_blocks, hash_block(frame->seen, 0, frame->offset), i) {
			int ret = seen->names.lines.data[i].object == frame->seen
					  ? give_line(seen, i, model, frame->object)
					  : 0;

			if (ret)
				return ret;
		}
	}
	return 0;
}

int seen_names_give_near(struct seen_names *seen, struct model *model)
{
	int ret = index_names(seen);

	if (!ret)
		ret = gather_frames(seen, model);
	for (uint32_t level = 0; level <= LEVEL_MAX && !ret; level++)
		if (seen->levels >> level & 1)
			ret = give_symbols_near(seen, model, level);
	return ret ? ret : give_lines_at(seen, model);
}
