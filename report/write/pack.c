// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/write/pack.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/hash.h"
#include "common/options.h"
#include "common/search.h"
#include "format/writer.h"
#include "report/model/model.h"
#include "report/symbols/found_names.h"

/* Tells which file of a model, with names or lines that were found, an object of an epoch is. */

/* All zero: none. */
struct packed_objects {
	const struct model *model;
	VEC(uint32_t) ids; /* in the model */
	struct index index;
};

static uint64_t hash_object(const char *path, const uint8_t *build_id, size_t size)
{
	return hash_bytes(path, strlen(path), hash_bytes(build_id, size, 0));
}

static int add_object(struct packed_objects *objects, uint32_t id)
{
	const struct object_key *key = &objects->model->objects.data[id].key;
	const char *path = string_set_get(&objects->model->strings, key->path);

	if (objects->ids.nr && objects->ids.data[objects->ids.nr - 1] == id)
		return 0;
	return index_push(&objects->index, &objects->ids,
			  hash_object(path, key->build_id.bytes, key->build_id.size), id);
}

/* Lists the objects of @found, which is sorted. Returns 0 or -ENOMEM. */
static int packed_objects_init(struct packed_objects *objects, const struct model *model,
			       const struct found_names *found)
{
	int ret = 0;

	*objects = (struct packed_objects){.model = model};
	for (size_t i = 0; i < found->symbols.nr && !ret; i++)
		ret = add_object(objects, found->symbols.data[i].object);
	/* An object that has both is there twice, and found at its first place. */
	for (size_t i = 0; i < found->lines.nr && !ret; i++)
		ret = add_object(objects, found->lines.data[i].object);
	return ret;
}

static void packed_objects_deinit(struct packed_objects *objects)
{
	vec_free(&objects->ids);
	index_deinit(&objects->index);
}

static bool is_file(const struct object_key *key, const struct prof_file_info *file)
{
	if (!key->has_file || !file)
		return !key->has_file && !file;
	return key->file.inode == file->inode && key->file.size == file->size &&
	       key->file.mtime_ns == file->mtime_ns && key->file.ctime_ns == file->ctime_ns;
}

/* Returns the object of the model that object @id of @epoch is; @file may be NULL. 0: none. */
static uint32_t packed_objects_find(const struct packed_objects *objects,
				    const struct prof_epoch *epoch, uint32_t id,
				    const struct prof_file_info *file)
{
	const struct prof_object *object = &epoch->objects[id];
	const char *path = epoch->strings[object->path].s;
	uint64_t hash = hash_object(path, object->build_id, object->build_id_size);

	if (object->kind != PROF_OBJECT_FILE && object->kind != PROF_OBJECT_KERNEL &&
	    object->kind != PROF_OBJECT_MODULE)
		return 0;
	index_for_each(&objects->index, hash, i) {
		const struct object_key *key =
			&objects->model->objects.data[objects->ids.data[i]].key;

		if (key->kind == object->kind && key->instance == object->instance &&
		    key->build_id.size == object->build_id_size &&
		    !memcmp(key->build_id.bytes, object->build_id, object->build_id_size) &&
		    (object->build_id_size || is_file(key, file)) &&
		    !strcmp(string_set_get(&objects->model->strings, key->path), path))
			return objects->ids.data[i];
	}
	return 0;
}

/* Most bytes that the strings of an epoch take together, so that their section is not too large. */
#define TEXT_BYTES_MAX (PROF_MAX_SECTION_BYTES / 2)

/* Most frames of lines in an epoch, for the same reason. */
#define SOURCE_FRAMES_MAX (PROF_MAX_TABLE / 2)

struct packer {
	const struct model *model;
	const struct found_names *found;
	struct packed_objects objects;
	struct prof_writer *writer;
	bool *is_given; /* of each object of the model: all epochs have its names */
	bool *is_short; /* of each object of the model: some name had no room in an epoch */
	/* the epoch that is being written */
	const struct prof_epoch *epoch;
	VEC(struct prof_string) strings;
	size_t text_bytes;
	uint32_t *names; /* of each name that was found: its string in the epoch; 0: none yet */
	VEC(struct prof_symbol) symbols;
	size_t nr_recorded; /* symbols that the epoch had already */
	VEC(struct prof_line) lines;
	VEC(struct prof_source_frame) source_frames;
	VEC(struct prof_name_source) sources; /* those that the epoch had are the first */
};

static int write_text(void *out, const void *buf, size_t len)
{
	textbuf_bytes(out, buf, len);
	return ((struct textbuf *)out)->error;
}

/* Returns true if a symbol with a name was found at @off of @object. */
static bool has_name(const struct packer *p, uint32_t object, uint64_t off)
{
	const struct found_names *found = p->found;

	for (size_t i = found_names_symbol(found, object, off); i < found->symbols.nr; i++) {
		const struct prof_symbol *symbol = &found->symbols.data[i];

		if (symbol->object != object || symbol->offset != off)
			return false;
		if (symbol->name)
			return true;
	}
	return false;
}

/* Takes over the symbols of the epoch, except for bounds of functions that have names now. */
static int take_recorded(struct packer *p, const uint32_t *objects)
{
	const struct prof_epoch *e = p->epoch;
	int ret = 0;

	for (uint32_t i = 0; i < e->nr_symbols && !ret; i++) {
		const struct prof_symbol *symbol = &e->symbols[i];
		uint32_t object = objects[symbol->object];

		if (e->strings[symbol->name].len || !object || !has_name(p, object, symbol->offset))
			ret = vec_push(&p->symbols, *symbol);
	}
	p->nr_recorded = p->symbols.nr;
	return ret;
}

/* Returns true if the epoch has @symbol, of @object there, or one that says as much. */
static bool is_recorded(const struct packer *p, uint32_t object, const struct prof_symbol *symbol)
{
	const struct prof_symbol *have = p->symbols.data;

	for (size_t i =
		     search_first(p->nr_recorded, at,
				  have[at].object > object || (have[at].object == object &&
							       have[at].offset >= symbol->offset));
	     i < p->nr_recorded && have[i].object == object && have[i].offset == symbol->offset;
	     i++)
		if (have[i].size == symbol->size)
			return true;
	return false;
}

/* Adds name @name to the strings of the epoch. Returns 0, -ENOSPC without room, or -ENOMEM. */
static int add_string(struct packer *p, uint32_t name, uint32_t *id)
{
	const struct string *text = &p->found->names.items.data[name];
	const struct prof_string string = {.s = text->s, .len = text->len};

	*id = p->names[name];
	if (!text->len || *id)
		return 0;
	if (p->strings.nr == PROF_MAX_TABLE || p->text_bytes + text->len > TEXT_BYTES_MAX)
		return -ENOSPC;
	*id = p->names[name] = p->strings.nr;
	p->text_bytes += text->len;
	return vec_push(&p->strings, string);
}

static int add_symbol(struct packer *p, uint32_t object, const struct prof_symbol *found)
{
	struct prof_symbol symbol = *found;
	int ret = p->symbols.nr == PROF_MAX_TABLE ? -ENOSPC
						  : add_string(p, found->name, &symbol.name);

	symbol.object = object;
	return ret ? ret : vec_push(&p->symbols, symbol);
}

/* Adds the frames of @found to those of the epoch. */
static int add_frames(struct packer *p, const struct prof_line *found)
{
	int ret = p->lines.nr == PROF_MAX_TABLE ||
				  p->source_frames.nr + found->nr_frames > SOURCE_FRAMES_MAX
			  ? -ENOSPC
			  : 0;

	for (uint32_t i = 0; i < found->nr_frames && !ret; i++) {
		const struct prof_source_frame *from =
			&p->found->source_frames.data[found->first_frame + i];
		struct prof_source_frame frame = *from;

		ret = add_string(p, from->name, &frame.name);
		if (!ret)
			ret = add_string(p, from->file, &frame.file);
		if (!ret)
			ret = vec_push(&p->source_frames, frame);
	}
	return ret;
}

static int add_line(struct packer *p, uint32_t object, const struct prof_line *found)
{
	struct prof_line line = *found;
	int ret;

	line.object = object;
	line.first_frame = p->source_frames.nr;
	ret = add_frames(p, found);
	if (ret) {
		p->source_frames.nr = line.first_frame;
		return ret;
	}
	return vec_push(&p->lines, line);
}

/* Adds the symbols that were found for @wanted of the model, which is @object of the epoch. */
static int add_symbols(struct packer *p, uint32_t object, uint32_t wanted)
{
	const struct found_names *found = p->found;
	int ret = 0;

	for (size_t i = found_names_symbol(found, wanted, 0);
	     i < found->symbols.nr && found->symbols.data[i].object == wanted && !ret; i++)
		if (!is_recorded(p, object, &found->symbols.data[i]))
			ret = add_symbol(p, object, &found->symbols.data[i]);
	return ret;
}

/* Takes over the lines of the epoch. */
static int take_lines(struct packer *p)
{
	const struct prof_epoch *e = p->epoch;
	int ret = vec_append(&p->lines, e->lines, e->nr_lines);

	return ret ? ret : vec_append(&p->source_frames, e->source_frames, e->nr_source_frames);
}

/* Returns true if the epoch had a line at @off of @object. */
static bool has_line(const struct packer *p, uint32_t object, uint64_t off)
{
	const struct prof_line *have = p->epoch->lines;
	size_t i = search_first(p->epoch->nr_lines, at,
				have[at].object > object ||
					(have[at].object == object && have[at].offset >= off));

	return i < p->epoch->nr_lines && have[i].object == object && have[i].offset == off;
}

/* Adds the lines that were found for @wanted of the model, which is @object of the epoch. */
static int add_lines(struct packer *p, uint32_t object, uint32_t wanted)
{
	const struct found_names *found = p->found;
	int ret = 0;

	for (size_t i = found_names_line(found, wanted, 0);
	     i < found->lines.nr && found->lines.data[i].object == wanted && !ret; i++)
		if (!has_line(p, object, found->lines.data[i].offset))
			ret = add_line(p, object, &found->lines.data[i]);
	return ret;
}

/* Sorts the lines, and their frames with them, as the format wants them. */
static int sort_lines(struct packer *p)
{
	size_t bytes = p->source_frames.nr * sizeof(*p->source_frames.data);
	_cleanup_free_ struct prof_source_frame *unsorted = malloc(bytes + 1);
	uint32_t nr = 0;

	if (!unsorted)
		return -ENOMEM;
	if (!p->lines.nr)
		return 0;
	memcpy(unsorted, p->source_frames.data, bytes);
	qsort(p->lines.data, p->lines.nr, sizeof(*p->lines.data), found_names_compare_lines);
	vec_for_each(&p->lines, line) {
		memcpy(p->source_frames.data + nr, unsorted + line->first_frame,
		       line->nr_frames * sizeof(*unsorted));
		line->first_frame = nr;
		nr += line->nr_frames;
	}
	return 0;
}

/* Finds the source that the epoch had of @object with the origin and the path of @found. */
static struct prof_name_source *find_source(const struct packer *p, uint32_t object,
					    const struct prof_name_source *found)
{
	const struct prof_epoch *e = p->epoch;
	const char *path = string_set_get(&p->found->names, found->file);

	for (size_t i = search_first(e->nr_name_sources, at, e->name_sources[at].object >= object);
	     i < e->nr_name_sources && e->name_sources[i].object == object; i++)
		if (e->name_sources[i].origin == found->origin &&
		    !strcmp(e->strings[e->name_sources[i].file].s, path))
			return &p->sources.data[i];
	return NULL;
}

static int add_source(struct packer *p, uint32_t object, const struct prof_name_source *found,
		      uint8_t parts)
{
	struct prof_name_source source = *found, *have = find_source(p, object, found);
	int ret;

	if (have) {
		have->parts |= parts;
		return 0;
	}
	if (!parts || p->sources.nr == PROF_MAX_TABLE)
		return 0;
	source.object = object;
	source.parts = parts;
	ret = add_string(p, found->file, &source.file);
	return ret ? ret : vec_push(&p->sources, source);
}

/* Adds the sources of what was found for @wanted of the model, which is @object of the epoch. */
static int add_sources(struct packer *p, uint32_t object, uint32_t wanted, uint8_t parts)
{
	const struct found_names *found = p->found;
	int ret = 0;

	for (size_t i = found_names_source(found, wanted);
	     i < found->sources.nr && found->sources.data[i].object == wanted && !ret; i++)
		ret = add_source(p, object, &found->sources.data[i],
				 found->sources.data[i].parts & parts);
	return ret;
}

static int compare_sources(const void *a, const void *b)
{
	const struct prof_name_source *x = a, *y = b;

	COMPARE(x->object, y->object);
	COMPARE(x->origin, y->origin);
	COMPARE(x->file, y->file);
	return 0;
}

/* Such an object's names hold for all epochs. */
static bool is_lasting(const struct prof_object *object)
{
	return object->kind == PROF_OBJECT_FILE && object->build_id_size && !object->instance;
}

/* Adds all that was found for object @id of the epoch, which is @wanted of the model. */
static int add_found(struct packer *p, uint32_t id, uint32_t wanted)
{
	size_t nr_symbols = p->symbols.nr, nr_lines = p->lines.nr;
	uint8_t parts = 0;
	int ret;

	if (!wanted || p->is_given[wanted])
		return 0;
	ret = add_symbols(p, id, wanted);
	if (!ret)
		ret = add_lines(p, id, wanted);
	if (p->symbols.nr > nr_symbols)
		parts |= NAME_PARTS_ALL & ~NAME_PART_DWARF;
	if (p->lines.nr > nr_lines)
		parts |= NAME_PART_DWARF;
	if (!ret || ret == -ENOSPC)
		ret = add_sources(p, id, wanted, parts) ?: ret;
	p->is_short[wanted] = ret == -ENOSPC;
	p->is_given[wanted] = !ret && is_lasting(&p->epoch->objects[id]);
	return ret == -ENOSPC ? 0 : ret;
}

/* Sets objects[id] to the object of the model that object @id of the epoch is, or to 0. */
static void find_objects(const struct packer *p, uint32_t *objects)
{
	const struct prof_epoch *e = p->epoch;
	uint32_t info = 0;

	for (uint32_t i = 0; i < e->nr_objects; i++) {
		bool has_info = info < e->nr_file_infos && e->file_infos[info].object == i;

		objects[i] = packed_objects_find(&p->objects, e, i,
						 has_info ? &e->file_infos[info] : NULL);
		info += has_info;
	}
}

static int add_names(struct packer *p)
{
	const struct prof_epoch *e = p->epoch;
	_cleanup_free_ uint32_t *objects = calloc(e->nr_objects + 1, sizeof(*objects));
	int ret = objects ? 0 : -ENOMEM;

	if (!ret) {
		find_objects(p, objects);
		ret = take_recorded(p, objects);
	}
	if (!ret)
		ret = take_lines(p);
	if (!ret)
		ret = vec_append(&p->sources, e->name_sources, e->nr_name_sources);
	for (uint32_t i = 0; i < e->nr_objects && !ret; i++)
		ret = add_found(p, i, objects[i]);
	if (!ret && p->sources.nr)
		qsort(p->sources.data, p->sources.nr, sizeof(*p->sources.data), compare_sources);
	return ret ? ret : sort_lines(p);
}

/* Begins an epoch that has the strings of @epoch, and nothing else yet. */
static int begin_epoch(struct packer *p, const struct prof_epoch *epoch)
{
	p->epoch = epoch;
	vec_clear(&p->strings);
	vec_clear(&p->symbols);
	vec_clear(&p->lines);
	vec_clear(&p->source_frames);
	vec_clear(&p->sources);
	memset(p->names, 0, p->found->names.items.nr * sizeof(*p->names));
	p->text_bytes = 0;
	for (uint32_t i = 0; i < epoch->nr_strings; i++)
		p->text_bytes += epoch->strings[i].len;
	return vec_append(&p->strings, epoch->strings, epoch->nr_strings);
}

/* Writes @epoch with its new names. */
static int write_epoch(struct packer *p, const struct prof_epoch *epoch)
{
	struct prof_epoch packed = *epoch;
	int ret = begin_epoch(p, epoch);

	if (!ret)
		ret = add_names(p);
	if (ret)
		return ret;
	packed.strings = p->strings.data;
	packed.nr_strings = p->strings.nr;
	packed.symbols = p->symbols.data;
	packed.nr_symbols = p->symbols.nr;
	packed.lines = p->lines.data;
	packed.nr_lines = p->lines.nr;
	packed.source_frames = p->source_frames.data;
	packed.nr_source_frames = p->source_frames.nr;
	packed.name_sources = p->sources.data;
	packed.nr_name_sources = p->sources.nr;
	return prof_writer_epoch(p->writer, &packed);
}

/* Writes the description. The recorder's name tells that this program wrote names. */
static int write_meta(struct packer *p, const struct prof_meta *meta)
{
	struct prof_meta packed = *meta;
	_cleanup_free_ char *recorder = NULL;

	if (asprintf(&recorder, "%s, names added by profrep " PROFREC_VERSION, meta->recorder) < 0)
		return -ENOMEM;
	packed.recorder = recorder;
	return prof_writer_meta(p->writer, &packed);
}

static int copy_recording(struct packer *p, struct prof_reader *reader)
{
	const struct prof_epoch *epoch;
	int ret = write_meta(p, prof_reader_meta(reader)), read;

	while (!ret && (read = prof_reader_next(reader, &epoch)) == PROF_READ_EPOCH)
		ret = write_epoch(p, epoch);
	if (ret)
		return ret;
	if (read == PROF_READ_END)
		return prof_writer_end(p->writer, prof_reader_end(reader));
	/* The good part of a recording that was cut is worth its names, too. */
	return read == -ENODATA || read == -EBADMSG ? 0 : read;
}

static int packer_init(struct packer *p)
{
	p->is_given = calloc(p->model->objects.nr, sizeof(*p->is_given));
	p->is_short = calloc(p->model->objects.nr, sizeof(*p->is_short));
	p->names = calloc(p->found->names.items.nr, sizeof(*p->names));
	if (!p->is_given || !p->is_short || !p->names)
		return -ENOMEM;
	return packed_objects_init(&p->objects, p->model, p->found);
}

static void packer_deinit(struct packer *p)
{
	prof_writer_destroy(p->writer);
	packed_objects_deinit(&p->objects);
	vec_free(&p->strings);
	vec_free(&p->symbols);
	vec_free(&p->lines);
	vec_free(&p->source_frames);
	vec_free(&p->sources);
	free(p->is_given);
	free(p->is_short);
	free(p->names);
}

int pack_recording(struct prof_reader *reader, const struct model *model,
		   const struct found_names *found, struct textbuf *out, uint32_t *nr_short)
{
	struct packer p = {.model = model, .found = found};
	int ret = packer_init(&p);

	if (!ret)
		ret = prof_writer_create(write_text, out, &p.writer);
	if (!ret)
		ret = copy_recording(&p, reader);
	*nr_short = 0;
	for (size_t i = 0; i < model->objects.nr && !ret; i++)
		*nr_short += p.is_short[i];
	packer_deinit(&p);
	return ret;
}
