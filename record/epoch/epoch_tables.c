// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch_tables.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/hash.h"

int epoch_tables_string(struct epoch_tables *t, const char *s, size_t len, uint32_t *id)
{
	struct string_ref ref = {.off = t->string_bytes.nr};
	uint64_t hash;

	if (len > PROF_MAX_STRING_BYTES)
		len = PROF_MAX_STRING_BYTES;
	ref.len = len;
	hash = hash_bytes(s, len, 0);
	index_for_each(&t->by_string, hash, i) {
		const struct string_ref *have = &t->strings.data[i];

		if (have->len == len && !memcmp(t->string_bytes.data + have->off, s, len)) {
			*id = i;
			return 0;
		}
	}
	if (vec_append(&t->string_bytes, s, len) || vec_push(&t->string_bytes, '\0') ||
	    index_push(&t->by_string, &t->strings, hash, ref))
		return -ENOMEM;
	*id = t->strings.nr - 1;
	return 0;
}

static uint64_t hash_object(const struct prof_object *object)
{
	uint64_t key[2] = {(uint64_t)object->kind << 32 | object->path,
			   (uint64_t)object->flags << 32 | object->instance};

	return hash_bytes(object->build_id, object->build_id_size, hash_bytes(key, sizeof(key), 0));
}

bool epoch_tables_find_object(const struct epoch_tables *t, const struct prof_object *object,
			      uint32_t *id)
{
	index_for_each(&t->by_object, hash_object(object), i) {
		const struct prof_object *have = &t->objects.data[i];

		if (have->kind == object->kind && have->path == object->path &&
		    have->flags == object->flags && have->instance == object->instance &&
		    have->build_id_size == object->build_id_size &&
		    !memcmp(have->build_id, object->build_id, object->build_id_size)) {
			*id = i;
			return true;
		}
	}
	return false;
}

int epoch_tables_object(struct epoch_tables *t, const struct prof_object *object, uint32_t *id)
{
	struct file_identity no_file = {0};
	struct prof_language no_language = {0};

	if (epoch_tables_find_object(t, object, id))
		return 0;
	if (vec_reserve(&t->files, 1) || vec_reserve(&t->named, 1) ||
	    vec_reserve(&t->languages, 1) || vec_reserve(&t->name_parts, 1) ||
	    index_push(&t->by_object, &t->objects, hash_object(object), *object))
		return -ENOMEM;
	t->files.data[t->files.nr++] = no_file;
	t->named.data[t->named.nr++] = 0;
	t->languages.data[t->languages.nr++] = no_language;
	t->name_parts.data[t->name_parts.nr++] = 0;
	*id = t->objects.nr - 1;
	return 0;
}

void epoch_tables_set_file(struct epoch_tables *t, uint32_t id,
			   const struct file_identity *identity)
{
	t->files.data[id] = *identity;
}

void epoch_tables_set_language(struct epoch_tables *t, uint32_t id,
			       const struct prof_language *language)
{
	t->languages.data[id] = *language;
	t->languages.data[id].object = id;
}

int epoch_tables_frame(struct epoch_tables *t, uint32_t object, uint64_t offset, bool is_exact,
		       uint32_t *id)
{
	uint64_t key[2] = {object | (uint64_t)is_exact << 32, offset};
	uint64_t hash = hash_bytes(key, sizeof(key), 0);
	struct prof_frame frame = {.object = object, .offset = offset};

	index_for_each(&t->by_frame, hash, i) {
		if (t->frames.data[i].object == object && t->frames.data[i].offset == offset &&
		    t->frame_is_exact.data[i] == is_exact) {
			*id = i;
			return 0;
		}
	}
	if (vec_reserve(&t->frame_is_exact, 1) ||
	    index_push(&t->by_frame, &t->frames, hash, frame) ||
	    vec_push(&t->frame_is_exact, is_exact))
		return -ENOMEM;
	*id = t->frames.nr - 1;
	return 0;
}

int epoch_tables_stack(struct epoch_tables *t, const uint32_t *frames, size_t nr,
		       enum prof_stack_end end, uint32_t *id)
{
	size_t bytes = nr * sizeof(uint32_t);
	uint64_t hash = hash_bytes(frames, bytes, end);
	struct prof_stack stack = {.first_frame = t->stack_frames.nr, .nr_frames = nr, .end = end};

	if (!nr && end == PROF_STACK_UNKNOWN) {
		*id = 0;
		return 0;
	}
	index_for_each(&t->by_stack, hash, i) {
		const struct prof_stack *have = &t->stacks.data[i];

		if (have->nr_frames == nr && have->end == end &&
		    (!bytes || !memcmp(t->stack_frames.data + have->first_frame, frames, bytes))) {
			*id = i;
			return 0;
		}
	}
	if (vec_append(&t->stack_frames, frames, nr) ||
	    index_push(&t->by_stack, &t->stacks, hash, stack))
		return -ENOMEM;
	*id = t->stacks.nr - 1;
	return 0;
}

int epoch_tables_symbol(struct epoch_tables *t, uint32_t object, uint64_t offset, uint64_t size,
			const char *name)
{
	uint64_t key[2] = {object, offset};
	uint64_t hash = hash_bytes(key, sizeof(key), 0);
	struct prof_symbol symbol = {.object = object, .offset = offset, .size = size};

	index_for_each(&t->by_symbol, hash, i) {
		struct prof_symbol *have = &t->symbols.data[i];

		if (have->object != object || have->offset != offset ||
		    strcmp(t->string_bytes.data + t->strings.data[have->name].off, name) != 0)
			continue;
		/* The last symbol of all reaches as far as was asked for. */
		if (have->size < size)
			have->size = size;
		return 0;
	}
	if (epoch_tables_string(t, name, strlen(name), &symbol.name))
		return -ENOMEM;
	return index_push(&t->by_symbol, &t->symbols, hash, symbol);
}

int epoch_tables_process(struct epoch_tables *t, const struct prof_process *entry, uint32_t *id)
{
	struct epoch_process process = {.entry = *entry};

	if (index_push(&t->by_process, &t->processes, hash_u64(entry->generation), process))
		return -ENOMEM;
	*id = t->processes.nr - 1;
	return 0;
}

int epoch_tables_mapping(struct epoch_tables *t, uint32_t process,
			 const struct prof_mapping *mapping)
{
	if (vec_push(&t->processes.data[process].mappings, *mapping))
		return -ENOMEM;
	t->nr_mappings++;
	return 0;
}

bool epoch_tables_find_process(const struct epoch_tables *t, uint64_t generation, uint32_t *id)
{
	index_for_each(&t->by_process, hash_u64(generation), i) {
		if (t->processes.data[i].entry.generation == generation) {
			*id = i;
			return true;
		}
	}
	return false;
}

int epoch_tables_count(struct epoch_tables *t, const struct prof_count *row, uint32_t *id)
{
	return count_rows_add(&t->counts, &t->by_count, row, id);
}

static int compare_mappings(const void *pa, const void *pb)
{
	const struct prof_mapping *a = pa, *b = pb;

	COMPARE(a->start, b->start);
	COMPARE(a->object, b->object);
	return 0;
}

static int lay_out_processes(struct epoch_tables *t)
{
	vec_clear(&t->out_processes);
	vec_clear(&t->out_mappings);
	vec_for_each(&t->processes, process) {
		process->entry.first_mapping = t->out_mappings.nr;
		process->entry.nr_mappings = process->mappings.nr;
		if (process->mappings.nr)
			qsort(process->mappings.data, process->mappings.nr,
			      sizeof(*process->mappings.data), compare_mappings);
		if (vec_append(&t->out_mappings, process->mappings.data, process->mappings.nr) ||
		    vec_push(&t->out_processes, process->entry))
			return -ENOMEM;
	}
	return 0;
}

static int lay_out_strings(struct epoch_tables *t)
{
	vec_clear(&t->out_strings);
	vec_for_each(&t->strings, ref) {
		struct prof_string s = {.s = t->string_bytes.data + ref->off, .len = ref->len};

		if (vec_push(&t->out_strings, s))
			return -ENOMEM;
	}
	return 0;
}

static int lay_out_exact_frames(struct epoch_tables *t)
{
	vec_clear(&t->out_exact_frames);
	for (size_t i = 0; i < t->frames.nr; i++)
		if (t->frame_is_exact.data[i] && vec_push(&t->out_exact_frames, i))
			return -ENOMEM;
	return 0;
}

static int lay_out_file_infos(struct epoch_tables *t)
{
	vec_clear(&t->out_file_infos);
	for (size_t i = 0; i < t->objects.nr; i++) {
		const struct file_identity *file = &t->files.data[i];
		const struct prof_file_info info = {.object = i,
						    .inode = file->inode,
						    .size = file->size,
						    .mtime_ns = file->mtime_ns,
						    .ctime_ns = file->ctime_ns};

		/* No reader looks for a file that was deleted. */
		if (file->is_stat && !(t->objects.data[i].flags & PROF_OBJECT_DELETED) &&
		    vec_push(&t->out_file_infos, info))
			return -ENOMEM;
	}
	return 0;
}

static int lay_out_languages(struct epoch_tables *t)
{
	vec_clear(&t->out_languages);
	vec_for_each(&t->languages, language)
		if (language->name && vec_push(&t->out_languages, *language))
			return -ENOMEM;
	return 0;
}

static int lay_out_name_sources(struct epoch_tables *t)
{
	vec_clear(&t->out_name_sources);
	for (size_t i = 0; i < t->objects.nr; i++) {
		const struct prof_name_source source = {
			.object = i, .origin = PROF_NAMES_RECORDED, .parts = t->name_parts.data[i]};

		if (source.parts && vec_push(&t->out_name_sources, source))
			return -ENOMEM;
	}
	return 0;
}

int epoch_tables_lay_out(struct epoch_tables *t, struct prof_epoch *epoch)
{
	if (lay_out_processes(t) || lay_out_strings(t) || lay_out_exact_frames(t) ||
	    lay_out_file_infos(t) || lay_out_languages(t) || lay_out_name_sources(t))
		return -ENOMEM;
	*epoch = (struct prof_epoch){
		.strings = t->out_strings.data,
		.nr_strings = t->out_strings.nr,
		.objects = t->objects.data,
		.nr_objects = t->objects.nr,
		.processes = t->out_processes.data,
		.nr_processes = t->out_processes.nr,
		.mappings = t->out_mappings.data,
		.nr_mappings = t->out_mappings.nr,
		.frames = t->frames.data,
		.nr_frames = t->frames.nr,
		.stacks = t->stacks.data,
		.nr_stacks = t->stacks.nr,
		.stack_frames = t->stack_frames.data,
		.nr_stack_frames = t->stack_frames.nr,
		.counts = t->counts.data,
		.nr_counts = t->counts.nr,
		.symbols = t->symbols.data,
		.nr_symbols = t->symbols.nr,
		.process_infos = t->process_infos.data,
		.nr_process_infos = t->process_infos.nr,
		.process_attributes = t->process_attributes.data,
		.nr_process_attributes = t->process_attributes.nr,
		.labels = t->labels.data,
		.nr_labels = t->labels.nr,
		.label_sets = t->label_sets.data,
		.nr_label_sets = t->label_sets.nr,
		.file_infos = t->out_file_infos.data,
		.nr_file_infos = t->out_file_infos.nr,
		.languages = t->out_languages.data,
		.nr_languages = t->out_languages.nr,
		.name_sources = t->out_name_sources.data,
		.nr_name_sources = t->out_name_sources.nr,
		.exact_frames = t->out_exact_frames.data,
		.nr_exact_frames = t->out_exact_frames.nr,
	};
	return 0;
}

static void clear_processes(struct epoch_tables *t)
{
	vec_for_each(&t->processes, process)
		vec_free(&process->mappings);
	vec_clear(&t->processes);
	t->nr_mappings = 0;
}

int epoch_tables_reset(struct epoch_tables *t)
{
	struct index *indexes[] = {&t->by_string, &t->by_object, &t->by_process, &t->by_frame,
				   &t->by_stack,  &t->by_count,  &t->by_symbol};
	struct prof_stack no_stack = {0};
	struct prof_object no_object = {.kind = PROF_OBJECT_NONE};
	struct prof_process kernel = {0};
	uint32_t id;

	for (size_t i = 0; i < ARRAY_SIZE(indexes); i++)
		index_clear(indexes[i]);
	clear_processes(t);
	vec_clear(&t->string_bytes);
	vec_clear(&t->strings);
	vec_clear(&t->objects);
	vec_clear(&t->files);
	vec_clear(&t->named);
	vec_clear(&t->languages);
	vec_clear(&t->name_parts);
	vec_clear(&t->frames);
	vec_clear(&t->frame_is_exact);
	vec_clear(&t->stacks);
	vec_clear(&t->stack_frames);
	vec_clear(&t->counts);
	vec_clear(&t->symbols);
	vec_clear(&t->process_infos);
	vec_clear(&t->process_attributes);
	vec_clear(&t->labels);
	vec_clear(&t->label_sets);
	if (epoch_tables_string(t, "", 0, &id) || epoch_tables_object(t, &no_object, &id) ||
	    epoch_tables_process(t, &kernel, &id))
		return -ENOMEM;
	return vec_push(&t->stacks, no_stack);
}

void epoch_tables_deinit(struct epoch_tables *t)
{
	clear_processes(t);
	vec_free(&t->string_bytes);
	vec_free(&t->strings);
	vec_free(&t->objects);
	vec_free(&t->files);
	vec_free(&t->named);
	vec_free(&t->out_file_infos);
	vec_free(&t->languages);
	vec_free(&t->out_languages);
	vec_free(&t->name_parts);
	vec_free(&t->out_name_sources);
	vec_free(&t->processes);
	vec_free(&t->frames);
	vec_free(&t->frame_is_exact);
	vec_free(&t->out_exact_frames);
	vec_free(&t->stacks);
	vec_free(&t->stack_frames);
	vec_free(&t->counts);
	vec_free(&t->symbols);
	vec_free(&t->process_infos);
	vec_free(&t->process_attributes);
	vec_free(&t->labels);
	vec_free(&t->label_sets);
	vec_free(&t->out_strings);
	vec_free(&t->out_processes);
	vec_free(&t->out_mappings);
	index_deinit(&t->by_string);
	index_deinit(&t->by_object);
	index_deinit(&t->by_process);
	index_deinit(&t->by_frame);
	index_deinit(&t->by_stack);
	index_deinit(&t->by_count);
	index_deinit(&t->by_symbol);
}
