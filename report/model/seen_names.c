// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/seen_names.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"

int seen_names_init(struct seen_names *seen)
{
	return model_init(&seen->names);
}

void seen_names_deinit(struct seen_names *seen)
{
	model_deinit(&seen->names);
}

/* Other objects are not equal in two epochs, or have their symbols in each. */
static bool is_lasting(uint8_t kind, uint8_t build_id_size)
{
	return kind == PROF_OBJECT_FILE && build_id_size;
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

/* Finds the seen object that is object @id of @model. */
static int find_object(struct seen_names *seen, const struct model *model, uint32_t id,
		       uint32_t *found)
{
	const struct string *path = &model->strings.items.data[model->objects.data[id].key.path];
	struct object_key key;
	int ret;

	/* Keys are compared as bytes. */
	memcpy(&key, &model->objects.data[id].key, sizeof(key));
	ret = string_set_add(&seen->names.strings, path->s, path->len, &key.path);
	return ret ? ret : model_add_object(&seen->names, &key, found);
}

/* Sets the object of @model, or 0, for each seen object. */
static int match_objects(struct seen_names *seen, const struct model *model, uint32_t **objects)
{
	size_t nr = seen->names.objects.nr + model->objects.nr;
	_cleanup_free_ uint32_t *ids = calloc(nr + 1, sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	for (uint32_t i = 0; i < model->objects.nr; i++) {
		const struct object_key *key = &model->objects.data[i].key;
		uint32_t found;
		int ret;

		if (!is_lasting(key->kind, key->build_id.size))
			continue;
		ret = find_object(seen, model, i, &found);
		if (ret)
			return ret;
		ids[found] = i;
	}
	*objects = TAKE_PTR(ids);
	return 0;
}

/* Adds string @id of the seen names to those of @model. */
static int give_string(const struct seen_names *seen, struct model *model, uint32_t id,
		       uint32_t *given)
{
	const struct string *string = &seen->names.strings.items.data[id];

	return string_set_add(&model->strings, string->s, string->len, given);
}

static int give_symbols(const struct seen_names *seen, struct model *model, const uint32_t *objects)
{
	vec_for_each(&seen->names.symbols, symbol) {
		struct prof_symbol given = *symbol;
		int ret;

		given.object = objects[symbol->object];
		if (!given.object)
			continue;
		ret = give_string(seen, model, symbol->name, &given.name);
		if (!ret)
			ret = model_add_symbol(model, &given);
		if (ret)
			return ret;
	}
	return 0;
}

static int give_lines(const struct seen_names *seen, struct model *model, const uint32_t *objects)
{
	vec_for_each(&seen->names.lines, line) {
		int ret = 0;

		if (!objects[line->object])
			continue;
		for (uint32_t i = 0; i < line->nr_frames && !ret; i++) {
			const struct prof_source_frame *seen_frame =
				&seen->names.source_frames.data[line->first_frame + i];
			struct prof_source_frame given = *seen_frame;

			ret = give_string(seen, model, seen_frame->name, &given.name);
			if (!ret)
				ret = give_string(seen, model, seen_frame->file, &given.file);
			if (!ret)
				ret = vec_push(&model->source_frames, given);
		}
		if (!ret)
			ret = model_add_line(model, objects[line->object], line->offset,
					     line->nr_frames);
		if (ret)
			return ret;
	}
	return 0;
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

int seen_names_give(struct seen_names *seen, struct model *model)
{
	_cleanup_free_ uint32_t *objects = NULL;
	int ret = match_objects(seen, model, &objects);

	if (!ret)
		ret = give_symbols(seen, model, objects);
	if (!ret)
		ret = give_sources(seen, model, objects);
	return ret ? ret : give_lines(seen, model, objects);
}
