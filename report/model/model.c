// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/hash.h"
#include "common/search.h"
#include "report/demangle/lasting_name.h"

static uint64_t hash_ids(uint64_t a, uint64_t b)
{
	const uint64_t key[2] = {a, b};

	return hash_bytes(key, sizeof(key), 0);
}

/* Appends @elem to the array @v, and enters it into @index. Returns 0, -ENOMEM or -EOVERFLOW. */
#define push_indexed(v, index, hash, elem)                                                         \
	((v)->nr >= INDEX_NONE ? -EOVERFLOW : index_push(index, v, hash, elem))

/* Finds the path that is shown: classes that a runtime made have names that change. */
static int find_shown_path(struct model *model, const struct object_key *key, uint32_t *shown)
{
	const struct string *path = &model->strings.items.data[key->path];
	size_t len = path->len;
	_cleanup_free_ char *text = NULL;

	*shown = key->path;
	if (key->kind != PROF_OBJECT_ANON || !lasting_name_may_change(path->s, len))
		return 0;
	text = malloc(len + 1);
	if (!text)
		return -ENOMEM;
	memcpy(text, path->s, len);
	return lasting_name_make(text, &len) ? string_set_add(&model->strings, text, len, shown)
					     : 0;
}

bool model_find_object(const struct model *model, const struct object_key *key, uint32_t *id)
{
	index_for_each(&model->object_index, hash_bytes(key, sizeof(*key), 0), i) {
		if (!memcmp(&model->objects.data[i].key, key, sizeof(*key))) {
			*id = i;
			return true;
		}
	}
	return false;
}

int model_add_object(struct model *model, const struct object_key *key, uint32_t *id)
{
	uint64_t hash = hash_bytes(key, sizeof(*key), 0);
	struct model_object object = {0};
	int ret;

	if (model_find_object(model, key, id))
		return 0;
	ret = find_shown_path(model, key, &object.shown_path);
	if (!ret)
		ret = push_indexed(&model->objects, &model->object_index, hash, object);
	if (!ret) {
		*id = model->objects.nr - 1;
		/* memcpy copies the padding, too; an assignment need not. */
		memcpy(&model->objects.data[*id].key, key, sizeof(*key));
	}
	return ret;
}

const struct model_place *model_find_place(const struct model *model, uint32_t process,
					   uint32_t object)
{
	index_for_each(&model->place_index, hash_ids(process, object), i) {
		const struct model_place *place = &model->places.data[i];

		if (place->process == process && place->object == object)
			return place;
	}
	return NULL;
}

int model_add_process(struct model *model, uint32_t pid, uint64_t generation, uint32_t layout,
		      uint32_t *id)
{
	uint64_t hash = hash_ids((uint64_t)pid << 32 | layout,
				 hash_ids(model_recording(model), generation));
	const struct model_process process = {
		.pid = pid,
		.recording = model_recording(model),
		.generation = generation,
		.layout = layout,
		.info.uid = PROF_UID_UNKNOWN,
	};
	int ret;

	index_for_each(&model->process_index, hash, i) {
		const struct model_process *have = &model->processes.data[i];

		if (have->pid == pid && have->generation == generation && have->layout == layout &&
		    have->recording == model_recording(model)) {
			*id = i;
			return 0;
		}
	}
	ret = push_indexed(&model->processes, &model->process_index, hash, process);
	if (!ret)
		*id = model->processes.nr - 1;
	return ret;
}

void model_process_learn(struct model_process *process, const struct prof_process_info *info)
{
	struct prof_process_info *known = &process->info;

	if (info->ns_pid)
		known->ns_pid = info->ns_pid;
	if (info->uid != PROF_UID_UNKNOWN)
		known->uid = info->uid;
	if (info->name)
		known->name = info->name;
	if (info->exe)
		known->exe = info->exe;
	if (info->cgroup)
		known->cgroup = info->cgroup;
}

void model_process_learn_attributes(struct model_process *process,
				    const uint32_t attributes[PROF_NR_ATTRIBUTES])
{
	for (size_t i = 0; i < PROF_NR_ATTRIBUTES; i++)
		if (attributes[i])
			process->attributes[i] = attributes[i];
}

const char *model_process_attribute(const struct model *model, const struct model_process *process,
				    enum prof_attribute attribute)
{
	return string_set_get(&model->strings, process->attributes[attribute]);
}

int model_add_place(struct model *model, const struct model_place *place)
{
	if (model_find_place(model, place->process, place->object))
		return 0;
	return push_indexed(&model->places, &model->place_index,
			    hash_ids(place->process, place->object), *place);
}

int model_add_mapping(struct model *model, const struct model_mapping *mapping)
{
	uint64_t hash = hash_ids(hash_ids(mapping->process, mapping->object), mapping->pgoff);

	index_for_each(&model->mapping_index, hash, i) {
		struct model_mapping *have = &model->mappings.data[i];

		if (have->process != mapping->process || have->object != mapping->object ||
		    have->pgoff != mapping->pgoff)
			continue;
		if (have->size < mapping->size)
			have->size = mapping->size;
		return 0;
	}
	return push_indexed(&model->mappings, &model->mapping_index, hash, *mapping);
}

const struct model_mapping *model_find_mapping(const struct model *model, uint32_t process,
					       uint32_t object, uint64_t off)
{
	const struct mapped_range *range = mapped_ranges_find(&model->ranges, process, object, off);

	return range ? &model->mappings.data[range->mapping] : NULL;
}

int model_add_frame(struct model *model, struct model_frame frame, uint32_t *id)
{
	uint64_t hash = hash_ids((uint64_t)frame.is_exact << 32 | frame.object, frame.offset);
	int ret;

	index_for_each(&model->frame_index, hash, i) {
		const struct model_frame *have = &model->frames.data[i];

		if (have->object == frame.object && have->offset == frame.offset &&
		    have->is_exact == frame.is_exact) {
			*id = i;
			return 0;
		}
	}
	/* symbolise.c has a slot of 32 bits for each frame and each place in a stack. */
	if (model->frames.nr >= UINT32_MAX / 2)
		return -EOVERFLOW;
	ret = push_indexed(&model->frames, &model->frame_index, hash, frame);
	if (!ret)
		*id = model->frames.nr - 1;
	return ret;
}

void model_forget_rows(struct model *model)
{
	vec_free(&model->rows);
	vec_free(&model->slot_counts);
	vec_free(&model->stacks);
	vec_free(&model->stack_frames);
}

int model_add_stack(struct model *model, uint32_t nr, uint8_t end, uint32_t *id)
{
	struct model_stack stack = {
		.first_frame = model->stack_frames.nr - nr, .nr_frames = nr, .end = end};
	size_t bytes = nr * sizeof(*model->stack_frames.data);
	const uint32_t *frames = nr ? model->stack_frames.data + stack.first_frame : NULL;
	uint64_t hash = hash_bytes(nr ? (const void *)frames : "", bytes, end);
	int ret;

	index_for_each(&model->stack_index, hash, i) {
		const struct model_stack *have = &model->stacks.data[i];

		if (have->nr_frames == nr && have->end == end &&
		    (!nr || !memcmp(model->stack_frames.data + have->first_frame, frames, bytes))) {
			model->stack_frames.nr -= nr;
			*id = i;
			return 0;
		}
	}
	ret = push_indexed(&model->stacks, &model->stack_index, hash, stack);
	if (!ret)
		*id = model->stacks.nr - 1;
	return ret;
}

int model_add_label_set(struct model *model, uint32_t nr, uint32_t *id)
{
	const struct model_label_set set = {.first_label = model->labels.nr - nr, .nr_labels = nr};
	size_t bytes = nr * sizeof(*model->labels.data);
	const struct prof_label *labels = nr ? model->labels.data + set.first_label : NULL;
	uint64_t hash = hash_bytes(nr ? (const void *)labels : "", bytes, 0);
	int ret;

	index_for_each(&model->label_index, hash, i) {
		const struct model_label_set *have = &model->label_sets.data[i];

		if (i && have->nr_labels == nr &&
		    (!nr || !memcmp(model->labels.data + have->first_label, labels, bytes))) {
			model->labels.nr -= nr;
			*id = i;
			return 0;
		}
	}
	ret = push_indexed(&model->label_sets, &model->label_index, hash, set);
	if (!ret)
		*id = model->label_sets.nr - 1;
	return ret;
}

const char *model_label_value(const struct model *model, const struct model_label_set *set,
			      const char *key)
{
	for (uint32_t i = 0; i < set->nr_labels; i++) {
		const struct prof_label *label = &model->labels.data[set->first_label + i];

		if (!strcmp(string_set_get(&model->strings, label->key), key))
			return string_set_get(&model->strings, label->value);
	}
	return NULL;
}

int model_add_row(struct model *model, const struct prof_count *row, uint32_t *id)
{
	uint64_t *total = &model->totals[row->event];

	if (__builtin_add_overflow(*total, row->count, total))
		return -EOVERFLOW;
	return count_rows_add(&model->rows, &model->row_index, row, id);
}

int model_add_slot_count(struct model *model, uint32_t row, uint32_t slot, uint64_t count)
{
	const struct model_slot_count part = {.row = row, .slot = slot, .count = count};

	return vec_push(&model->slot_counts, part);
}

int model_add_symbol(struct model *model, const struct prof_symbol *symbol)
{
	uint64_t hash = hash_ids((uint64_t)symbol->object << 32 | symbol->name,
				 symbol->offset ^ hash_ids(symbol->size, 0));

	index_for_each(&model->symbol_index, hash, i) {
		const struct prof_symbol *have = &model->symbols.data[i];

		if (have->object == symbol->object && have->name == symbol->name &&
		    have->offset == symbol->offset && have->size == symbol->size)
			return 0;
	}
	return push_indexed(&model->symbols, &model->symbol_index, hash, *symbol);
}

int model_add_line(struct model *model, uint32_t object, uint64_t offset, uint32_t nr)
{
	uint64_t hash = hash_ids(object, offset);
	const struct model_line line = {
		.object = object,
		.nr_frames = nr,
		.offset = offset,
		.first_frame = model->source_frames.nr - nr,
	};

	index_for_each(&model->line_index, hash, i) {
		if (model->lines.data[i].object == object &&
		    model->lines.data[i].offset == offset) {
			model->source_frames.nr -= nr;
			return 0;
		}
	}
	return push_indexed(&model->lines, &model->line_index, hash, line);
}

int model_add_name_source(struct model *model, const struct prof_name_source *source)
{
	uint64_t hash = hash_ids((uint64_t)source->origin << 32 | source->object, source->file);

	index_for_each(&model->source_index, hash, i) {
		struct prof_name_source *have = &model->name_sources.data[i];

		if (have->object == source->object && have->origin == source->origin &&
		    have->file == source->file) {
			have->parts |= source->parts;
			return 0;
		}
	}
	return push_indexed(&model->name_sources, &model->source_index, hash, *source);
}

const struct prof_name_source *model_name_sources(const struct model *model, uint32_t object,
						  size_t *nr)
{
	const struct prof_name_source *sources = model->name_sources.data;
	size_t end = model->name_sources.nr;
	size_t first = search_first(end, at, sources[at].object >= object);

	*nr = search_first(end, at, sources[at].object > object) - first;
	return *nr ? &sources[first] : NULL;
}

const struct model_line *model_find_line(const struct model *model, uint32_t object, uint64_t off)
{
	const struct model_line *lines = model->lines.data;
	size_t i = search_first(model->lines.nr, at,
				lines[at].object > object ||
					(lines[at].object == object && lines[at].offset >= off));

	return i < model->lines.nr && lines[i].object == object && lines[i].offset == off
		       ? &lines[i]
		       : NULL;
}

uint64_t model_bytes(const struct model *model)
{
	const struct index *const indexes[] = {
		&model->strings.index, &model->object_index, &model->process_index,
		&model->place_index,   &model->frame_index,  &model->stack_index,
		&model->row_index,     &model->symbol_index, &model->mapping_index,
		&model->line_index,    &model->source_index,
	};
	uint64_t bytes = model->strings.arena.total + vec_bytes(&model->strings.items) +
			 vec_bytes(&model->objects) + vec_bytes(&model->processes) +
			 vec_bytes(&model->places) + vec_bytes(&model->frames) +
			 vec_bytes(&model->stacks) + vec_bytes(&model->stack_frames) +
			 vec_bytes(&model->rows) + vec_bytes(&model->symbols) +
			 vec_bytes(&model->lines) + vec_bytes(&model->source_frames) +
			 vec_bytes(&model->mappings) + vec_bytes(&model->ranges.ranges) +
			 vec_bytes(&model->slots) + vec_bytes(&model->slot_counts) +
			 vec_bytes(&model->name_sources);

	for (size_t i = 0; i < ARRAY_SIZE(indexes); i++)
		bytes += index_bytes(indexes[i]);
	return bytes;
}

int model_begin_recording(struct model *model, const struct model_origin *origin)
{
	return vec_push(&model->origins, *origin);
}

int model_init(struct model *model)
{
	const struct model_origin unknown = {0};
	struct object_key none;
	uint32_t id;

	*model = (struct model){0};
	memset(&none, 0, sizeof(none));
	if (string_set_init(&model->strings) || vec_push(&model->origins, unknown) ||
	    model_add_object(model, &none, &id) || model_add_process(model, 0, 0, 0, &id) ||
	    model_add_stack(model, 0, PROF_STACK_UNKNOWN, &id) ||
	    model_add_label_set(model, 0, &id)) {
		model_deinit(model);
		return -ENOMEM;
	}
	return 0;
}

void model_deinit(struct model *model)
{
	string_set_deinit(&model->strings);
	vec_free(&model->objects);
	vec_free(&model->processes);
	vec_free(&model->places);
	vec_free(&model->frames);
	vec_free(&model->stacks);
	vec_free(&model->stack_frames);
	vec_free(&model->labels);
	vec_free(&model->label_sets);
	vec_free(&model->rows);
	vec_free(&model->slots_left_out);
	vec_free(&model->symbols);
	vec_free(&model->lines);
	vec_free(&model->source_frames);
	vec_free(&model->name_sources);
	vec_free(&model->mappings);
	vec_free(&model->origins);
	vec_free(&model->slots);
	vec_free(&model->slot_counts);
	mapped_ranges_deinit(&model->ranges);
	index_deinit(&model->object_index);
	index_deinit(&model->process_index);
	index_deinit(&model->place_index);
	layout_search_deinit(&model->layouts);
	index_deinit(&model->frame_index);
	index_deinit(&model->stack_index);
	index_deinit(&model->row_index);
	index_deinit(&model->symbol_index);
	index_deinit(&model->mapping_index);
	index_deinit(&model->line_index);
	index_deinit(&model->label_index);
	index_deinit(&model->source_index);
}

static int compare_symbols(const void *a, const void *b)
{
	const struct prof_symbol *x = a, *y = b;

	COMPARE(x->object, y->object);
	COMPARE(x->offset, y->offset);
	COMPARE(y->size, x->size);
	COMPARE(x->name, y->name);
	return 0;
}

static int compare_lines(const void *a, const void *b)
{
	const struct model_line *x = a, *y = b;

	COMPARE(x->object, y->object);
	COMPARE(x->offset, y->offset);
	return 0;
}

static int compare_name_sources(const void *a, const void *b)
{
	const struct prof_name_source *x = a, *y = b;

	COMPARE(x->object, y->object);
	COMPARE(x->origin, y->origin);
	COMPARE(x->file, y->file);
	return 0;
}

/* Releases the indexes that only adding needs. */
static void forget_indexes(struct model *model)
{
	index_deinit(&model->object_index);
	index_deinit(&model->process_index);
	index_deinit(&model->frame_index);
	index_deinit(&model->stack_index);
	index_deinit(&model->row_index);
	index_deinit(&model->symbol_index);
	index_deinit(&model->mapping_index);
	index_deinit(&model->line_index);
	index_deinit(&model->source_index);
}

int model_finish(struct model *model)
{
	forget_indexes(model);
	if (model->symbols.nr)
		qsort(model->symbols.data, model->symbols.nr, sizeof(*model->symbols.data),
		      compare_symbols);
	if (model->lines.nr)
		qsort(model->lines.data, model->lines.nr, sizeof(*model->lines.data),
		      compare_lines);
	if (model->name_sources.nr)
		qsort(model->name_sources.data, model->name_sources.nr,
		      sizeof(*model->name_sources.data), compare_name_sources);
	for (size_t i = 0; i < model->symbols.nr; i++) {
		struct model_object *object = &model->objects.data[model->symbols.data[i].object];

		if (!object->nr_symbols++)
			object->first_symbol = i;
	}
	return mapped_ranges_make(&model->ranges, model->mappings.data, model->mappings.nr);
}

const struct string *model_object_path(const struct model *model, uint32_t object)
{
	return &model->strings.items.data[model->objects.data[object].shown_path];
}

const char *model_object_base(const struct model *model, uint32_t object)
{
	const char *path = model_object_path(model, object)->s;
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool model_address(const struct model *model, uint32_t process, uint32_t frame, uint64_t *addr)
{
	const struct model_frame *f = &model->frames.data[frame];
	const struct object_key *key = &model->objects.data[f->object].key;
	const struct model_place *place;

	if (key->kind == PROF_OBJECT_NONE) {
		*addr = f->offset;
		return true;
	}
	if (object_kind_is_kernel(key->kind)) {
		*addr = key->bias + f->offset;
		return key->is_placed;
	}
	place = model_find_place(model, process, f->object);
	if (place)
		*addr = place->bias + f->offset;
	return place;
}
