// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/table_frames.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/hash.h"
#include "common/search.h"
#include "common/text.h"

/* Paths of all objects. Those of a fleet have a few megabytes. */
#define PATHS_BYTES_MAX ((size_t)256 << 20)

enum { FRAME_ID, BUILD_ID, PATH, OFFSET, KIND, SCOPE };

int table_frames_init(struct table_frames *frames)
{
	*frames = (struct table_frames){0};
	return string_set_init(&frames->strings);
}

void table_frames_deinit(struct table_frames *frames)
{
	string_set_deinit(&frames->strings);
	vec_free(&frames->objects);
	index_deinit(&frames->object_index);
	vec_free(&frames->frames);
}

/* Returns false if @field is no build-id in hex. An empty one is none. */
static bool read_build_id(const struct table_field *field, struct build_id *id)
{
	*id = (struct build_id){.size = field->len / 2};
	if (field->len % 2 || field->len / 2 > BUILD_ID_MAX)
		return false;
	for (size_t i = 0; i < field->len; i++) {
		char c = field->s[i];
		bool is_letter = c >= 'a' && c <= 'f';

		if (!is_letter && (c < '0' || c > '9'))
			return false;
		id->bytes[i / 2] = id->bytes[i / 2] << 4 | (is_letter ? c - 'a' + 10 : c - '0');
	}
	return true;
}

/* Reads "HOST INODE SIZE MTIME CTIME". Returns false if the facts of the file are not known. */
static bool read_file(const struct table_field *scope, struct prof_file_info *file)
{
	char text[100];
	const char *s = scope->s + scope->len, *start = scope->s;
	int nr_spaces = 0, end = 0;

	while (s > start && nr_spaces < 4)
		nr_spaces += *--s == ' ';
	if (nr_spaces < 4 || scope->len - (s - start) >= sizeof(text))
		return false;
	memcpy(text, s, scope->len - (s - start));
	text[scope->len - (s - start)] = '\0';
	return sscanf(text, " %" SCNu64 " %" SCNu64 " %" SCNd64 " %" SCNd64 "%n", &file->inode,
		      &file->size, &file->mtime_ns, &file->ctime_ns, &end) == 4 &&
	       !text[end];
}

/* Returns true if a file can name frames of the object that @fields describe. */
static bool has_names(const struct table_field *fields, struct table_object *object)
{
	bool has_id = !build_id_is_none(&object->build_id);

	if (table_field_is(&fields[KIND], "kernel") && has_id)
		object->kind = PROF_OBJECT_KERNEL;
	else if (table_field_is(&fields[KIND], "file") &&
		 (has_id || read_file(&fields[SCOPE], &object->file)))
		object->kind = PROF_OBJECT_FILE;
	else
		return false;
	return true;
}

static bool is_object(const struct table_object *a, const struct table_object *b)
{
	return a->kind == b->kind && build_id_equal(&a->build_id, &b->build_id) &&
	       (a->build_id.size ||
		(a->path == b->path && a->file.inode == b->file.inode &&
		 a->file.size == b->file.size && a->file.mtime_ns == b->file.mtime_ns &&
		 a->file.ctime_ns == b->file.ctime_ns));
}

/* Hosts may have a file at different paths. Takes that of this machine, if it has the file. */
static void choose_path(const struct table_frames *frames, struct table_object *object,
			uint32_t path)
{
	const struct string_set *strings = &frames->strings;

	if (object->path == path || object->refused_path == path || object->is_here ||
	    !frames->is_here || !object->build_id.size)
		return;
	if (!object->refused_path) {
		object->is_here = frames->is_here(
			frames->ctx, string_set_get(strings, object->path), &object->build_id);
		object->refused_path = object->path;
	}
	if (object->is_here)
		return;
	object->is_here =
		frames->is_here(frames->ctx, string_set_get(strings, path), &object->build_id);
	object->refused_path = path;
	if (object->is_here)
		object->path = path;
}

static int find_object(struct table_frames *frames, const struct table_object *object, uint32_t *id)
{
	uint64_t hash = object->build_id.size
				? hash_bytes(object->build_id.bytes, object->build_id.size, 0)
				: hash_u64(object->path);

	index_for_each(&frames->object_index, hash, i) {
		if (is_object(&frames->objects.data[i], object)) {
			choose_path(frames, &frames->objects.data[i], object->path);
			*id = i;
			return 0;
		}
	}
	*id = frames->objects.nr;
	return index_push(&frames->object_index, &frames->objects, hash, *object);
}

/* Adds the path to the strings. Returns 1, 0 if it is no text of profrep, or -ENOMEM. */
static int add_path(struct table_frames *frames, const struct table_field *field, uint32_t *path)
{
	struct textbuf text = {.fd = -1};
	int ret;

	textbuf_bytes(&text, field->s, field->len);
	text.nr = text_unescape(text.data, text.nr);
	ret = text.nr <= PROF_MAX_STRING_BYTES && !memchr(field->s, '\0', field->len);
	if (ret && string_set_add(&frames->strings, text.nr ? text.data : "", text.nr, path))
		ret = -ENOMEM;
	ret = text.error ? text.error : ret;
	textbuf_deinit(&text);
	return ret;
}

static int add_frame(struct table_frames *frames, const struct table_lines *lines,
		     const struct table_field *fields, struct err *err)
{
	struct table_object object = {0};
	struct table_frame frame;
	int ret;

	if (!table_field_u64(&fields[FRAME_ID], &frame.id) ||
	    !table_field_u64(&fields[OFFSET], &frame.offset))
		return table_lines_refuse(lines, "has no number where one belongs", err);
	if (!read_build_id(&fields[BUILD_ID], &object.build_id))
		return table_lines_refuse(lines, "has a build-id that is none", err);
	if (!has_names(fields, &object)) {
		frames->nr_others++;
		return 0;
	}
	ret = add_path(frames, &fields[PATH], &object.path);
	if (!ret)
		return table_lines_refuse(lines, "has a path that is no text of profrep", err);
	if (frames->frames.nr == TABLE_FRAMES_MAX || frames->strings.arena.total > PATHS_BYTES_MAX)
		return err_set(err, -E2BIG, "failed to read '%s': it has too many frames",
			       lines->name);
	if (ret < 0 || find_object(frames, &object, &frame.object) ||
	    vec_push(&frames->frames, frame))
		return err_set(err, -ENOMEM, "failed to read '%s': out of memory", lines->name);
	return 0;
}

static int compare_frames(const void *a, const void *b)
{
	const struct table_frame *x = a, *y = b;

	COMPARE(x->id, y->id);
	COMPARE(x->object, y->object);
	COMPARE(x->offset, y->offset);
	return 0;
}

/* A table may have a frame twice. */
static void sort_frames(struct table_frames *frames)
{
	size_t kept = 0;

	if (frames->frames.nr)
		qsort(frames->frames.data, frames->frames.nr, sizeof(*frames->frames.data),
		      compare_frames);
	vec_for_each(&frames->frames, frame)
		if (!kept || frames->frames.data[kept - 1].id != frame->id)
			frames->frames.data[kept++] = *frame;
	frames->frames.nr = kept;
}

int table_frames_read(struct table_frames *frames, struct table_lines *lines, struct err *err)
{
	struct table_field fields[TABLE_FIELDS_MAX];
	int ret;

	while ((ret = table_lines_next(lines, fields, err)) > 0) {
		ret = add_frame(frames, lines, fields, err);
		if (ret)
			return ret;
	}
	sort_frames(frames);
	return ret;
}

const struct table_frame *table_frames_find(const struct table_frames *frames, uint64_t id)
{
	size_t i = search_first(frames->frames.nr, n, frames->frames.data[n].id >= id);

	return i < frames->frames.nr && frames->frames.data[i].id == id ? &frames->frames.data[i]
									: NULL;
}
