// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/named_frames.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/utsname.h>

#include "common/cleanup.h"
#include "report/tables/packed_rows.h"
#include "report/tables/recording_tables.h"

enum { FRAME_ID, BUILD_ID, OFFSET, DEPTH, NAME, FILE_NAME, LINE, SOURCE };

/* The name that the tables have for a frame. */
struct known_name {
	uint32_t name;      /* in names, as the table has it; 0: none */
	uint8_t is_bounded; /* the table has the bounds */
};

struct naming {
	const struct naming_request *request;
	struct table_frames frames;
	struct string_set names;
	struct known_name *known; /* by frame */
	uint32_t *model_frames;   /* by frame */
	uint32_t *model_objects;  /* by object */
	struct model model;
	struct symbols symbols;
	struct packed_rows rows;
	struct textbuf *out;
	struct naming_result *result;
};

static bool is_here(const void *roots, const char *path, const struct build_id *build_id)
{
	const struct debug_roots *r = roots;
	const struct root places[] = {{r->symfs_fd, "", false}, {-1, "", true}};
	enum debug_miss miss = DEBUG_FOUND;

	for (size_t i = r->symfs_fd < 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_close_ int fd = candidate_open(&places[i], path, build_id, &miss);

		if (fd >= 0)
			return true;
	}
	return false;
}

/* Hands the rows that are packed over. */
static int end_row(struct naming *n)
{
	int ret = packed_rows_next(&n->rows);

	textbuf_bytes(n->out, n->rows.packed.data, n->rows.packed.nr);
	bytes_clear(&n->rows.packed);
	return ret ? ret : n->out->error;
}

/* Notes the name of a row. Its frame may be one that files cannot name. */
static int note_name(struct naming *n, const struct table_field *fields, uint64_t id)
{
	const struct table_frame *frame = table_frames_find(&n->frames, id);
	struct known_name *known;

	if (!frame)
		return 0;
	known = &n->known[frame - n->frames.frames.data];
	if (!table_field_is(&fields[SOURCE], table_name_sources[NAMED_BY_RECORDING])) {
		known->is_bounded = true;
		return 0;
	}
	return string_set_add(&n->names, fields[NAME].s, fields[NAME].len, &known->name);
}

/* Keeps a row, and the name that it has. */
static int keep_row(struct naming *n, const struct table_field *fields, struct err *err)
{
	const struct table_lines *lines = n->request->symbols;
	const struct table_field *last = &fields[SOURCE];
	uint64_t id;

	if (!table_field_u64(&fields[FRAME_ID], &id))
		return table_lines_refuse(lines, "has no number where one belongs", err);
	textbuf_bytes(&n->rows.text, fields[0].s, last->s + last->len - fields[0].s);
	textbuf_char(&n->rows.text, '\n');
	if (note_name(n, fields, id) || end_row(n))
		return err_set(err, -ENOMEM, "failed to keep '%s'", lines->name);
	return 0;
}

static int keep_rows(struct naming *n, struct err *err)
{
	struct table_field fields[TABLE_FIELDS_MAX];
	int ret;

	while ((ret = table_lines_next(n->request->symbols, fields, err)) > 0) {
		if (table_field_is(&fields[SOURCE], table_name_sources[NAMED_BY_FILE]))
			continue;
		ret = keep_row(n, fields, err);
		if (ret)
			return ret;
	}
	return ret;
}

static int add_objects(struct naming *n)
{
	int ret = 0;

	for (size_t i = 0; i < n->frames.objects.nr && !ret; i++) {
		const struct table_object *object = &n->frames.objects.data[i];
		const struct string *path = &n->frames.strings.items.data[object->path];
		struct object_key key;

		memset(&key, 0, sizeof(key)); /* compared as bytes */
		key.kind = object->kind;
		memcpy(&key.build_id, &object->build_id, sizeof(key.build_id));
		key.has_file = !object->build_id.size;
		key.file = object->file;
		ret = string_set_add(&n->model.strings, path->s, path->len, &key.path);
		if (!ret)
			ret = model_add_object(&n->model, &key, &n->model_objects[i]);
	}
	return ret;
}

/* Adds each frame as the leaf of a stack, since its offset is that of the address to look up. */
static int add_frames(struct naming *n)
{
	int ret = 0;

	for (size_t i = 0; i < n->frames.frames.nr && !ret; i++) {
		const struct table_frame *frame = &n->frames.frames.data[i];
		const struct model_frame added = {
			.object = n->model_objects[frame->object],
			.offset = frame->offset,
		};
		struct prof_count row = {.count = 1};
		uint32_t id;

		ret = model_add_frame(&n->model, added, &n->model_frames[i]);
		if (!ret)
			ret = vec_push(&n->model.stack_frames, n->model_frames[i]);
		if (!ret)
			ret = model_add_stack(&n->model, 1, PROF_STACK_COMPLETE, &row.user_stack);
		if (!ret)
			ret = model_add_row(&n->model, &row, &id);
	}
	return ret;
}

static int make_model(struct naming *n)
{
	struct model_origin origin = {0};
	struct utsname kernel;
	int ret;

	n->model_objects = calloc(n->frames.objects.nr + 1, sizeof(*n->model_objects));
	n->model_frames = calloc(n->frames.frames.nr + 1, sizeof(*n->model_frames));
	ret = n->model_objects && n->model_frames ? model_init(&n->model) : -ENOMEM;
	/* The kernel of a host may be that of this machine. Its build-id tells. */
	if (!ret && !uname(&kernel))
		ret = string_set_add(&n->model.strings, kernel.release, strlen(kernel.release),
				     &origin.release);
	if (!ret)
		ret = model_begin_recording(&n->model, &origin);
	if (!ret)
		ret = add_objects(n);
	if (!ret)
		ret = add_frames(n);
	return ret ? ret : model_finish(&n->model);
}

/* A name of a frame, from a file or from a recording. */
struct best_name {
	const char *s;
	size_t len;
	bool is_escaped; /* it is text of the table */
};

static struct best_name name_of(const struct naming *n, size_t i, const struct resolved *resolved,
				const struct source_frame *line)
{
	uint32_t object = n->model_objects[n->frames.frames.data[i].object];
	uint32_t known = n->known[i].name, name = resolved_name(resolved, line);
	const struct string *text = &n->symbols.names.items.data[name];
	bool is_inlined = line && line->is_inlined;

	if (known && !is_inlined && !(n->symbols.sources[object].has_symtab && resolved->name)) {
		text = &n->names.items.data[known];
		return (struct best_name){text->s, text->len, true};
	}
	return (struct best_name){text->s, text->len, false};
}

static void put_name(struct textbuf *out, const struct best_name *name)
{
	if (name->is_escaped)
		textbuf_bytes(out, name->s, name->len);
	else
		textbuf_escaped(out, name->s, name->len, TEXT_FIELD);
}

/* Puts the row of frame @i for the function @depth. @line is NULL without lines. */
static int put_row(struct naming *n, size_t i, uint32_t depth, const struct best_name *name,
		   const struct source_frame *line, enum table_name_source source)
{
	const struct table_frame *frame = &n->frames.frames.data[i];
	const struct table_object *object = &n->frames.objects.data[frame->object];
	const struct string *file = &n->symbols.lines.files.items.data[line ? line->file : 0];
	struct textbuf *out = &n->rows.text;
	char hex[BUILD_ID_HEX_SIZE];

	textbuf_u64(out, frame->id);
	textbuf_char(out, '\t');
	textbuf_str(out, build_id_hex(&object->build_id, hex));
	textbuf_char(out, '\t');
	textbuf_u64(out, frame->offset);
	textbuf_char(out, '\t');
	textbuf_u64(out, depth);
	textbuf_char(out, '\t');
	put_name(out, name);
	textbuf_char(out, '\t');
	if (line)
		textbuf_escaped(out, file->s, file->len, TEXT_FIELD);
	textbuf_char(out, '\t');
	textbuf_u64(out, line ? line->line : 0);
	textbuf_char(out, '\t');
	textbuf_str(out, table_name_sources[source]);
	textbuf_char(out, '\n');
	return out->error ? out->error : end_row(n);
}

/* The text that profrep shows for a function without a name, unless the tables have it. */
static int put_bounds(struct naming *n, size_t i, const struct resolved *resolved)
{
	const struct table_frame *frame = &n->frames.frames.data[i];
	struct textbuf text = {.fd = -1};
	struct best_name name;
	int ret;

	n->result->nr_unnamed++;
	if (n->known[i].is_bounded || !resolved->is_bounded)
		return 0;
	textbuf_printf(&text, "[%s+0x%" PRIx64 "]",
		       model_object_base(&n->model, n->model_objects[frame->object]),
		       frame->offset - resolved->off);
	name = (struct best_name){text.data, text.nr, false};
	ret = text.error ? text.error : put_row(n, i, 0, &name, NULL, NAMED_BY_BOUNDS);
	textbuf_deinit(&text);
	return ret;
}

/* Puts the rows of frame @i. All are of one source, so a frame has all its names or none anew. */
static int put_frame(struct naming *n, size_t i)
{
	const struct naming_request *request = n->request;
	const struct resolved *resolved =
		symbols_frame(&n->symbols, n->model_frames[i], FRAME_LEAF);
	const struct source_frame *line = symbols_line(&n->symbols, resolved, 0);
	struct best_name name = name_of(n, i, resolved, line);
	uint32_t nr = request->has_inlines && resolved->nr_lines ? resolved->nr_lines : 1;
	int ret;

	if (!name.len)
		return put_bounds(n, i, resolved);
	if (name.is_escaped && !line) {
		n->result->nr_by_recording++;
		return 0;
	}
	n->result->nr_by_file++;
	ret = put_row(n, i, 0, &name, request->has_lines ? line : NULL, NAMED_BY_FILE);
	for (uint32_t depth = 1; depth < nr && !ret; depth++) {
		line = symbols_line(&n->symbols, resolved, depth);
		name = name_of(n, i, resolved, line);
		ret = put_row(n, i, depth, &name, request->has_lines ? line : NULL, NAMED_BY_FILE);
	}
	return ret;
}

static int put_frames(struct naming *n)
{
	int ret = n->symbols.lines.files.items.nr ? 0 : string_set_init(&n->symbols.lines.files);

	for (size_t i = 0; i < n->frames.frames.nr && !ret; i++)
		ret = put_frame(n, i);
	if (!ret)
		ret = packed_rows_pack(&n->rows, true);
	textbuf_bytes(n->out, n->rows.packed.data, n->rows.packed.nr);
	for (size_t i = 0; i < n->frames.objects.nr; i++) {
		const struct object_source *source = &n->symbols.sources[n->model_objects[i]];

		n->result->nr_missing += !source->binary && !source->debug;
	}
	n->result->nr_objects = n->frames.objects.nr;
	n->result->nr_frames = n->frames.frames.nr;
	return ret;
}

static int find_names(struct naming *n)
{
	const struct symbol_files files = {
		.roots = n->request->roots,
		.pairs = n->request->pairs,
		.needs_lines = n->request->has_inlines || n->request->has_lines,
	};

	return symbols_resolve(&n->symbols, &n->model, &files, n->request->account);
}

static int write_all(struct naming *n, struct err *err)
{
	int ret = table_frames_read(&n->frames, n->request->frames, err);

	if (ret)
		return ret;
	n->known = calloc(n->frames.frames.nr + 1, sizeof(*n->known));
	ret = n->known ? make_model(n) : -ENOMEM;
	if (!ret)
		ret = find_names(n);
	if (ret)
		return err_set(err, ret, "failed to look up the frames of '%s': %s",
			       n->request->frames->name, strerror(-ret));
	ret = keep_rows(n, err);
	if (ret)
		return ret;
	ret = put_frames(n);
	return ret ? err_set(err, ret, "failed to name the frames of '%s': %s",
			     n->request->frames->name, strerror(-ret))
		   : 0;
}

int named_frames_write(const struct naming_request *request, struct textbuf *out,
		       struct naming_result *result, struct err *err)
{
	struct naming n = {.request = request, .out = out, .result = result};
	int ret = table_frames_init(&n.frames);

	*result = (struct naming_result){0};
	n.frames.is_here = is_here;
	n.frames.ctx = request->roots;
	if (!ret)
		ret = string_set_init(&n.names);
	if (!ret)
		ret = packed_rows_init(&n.rows);
	ret = ret ? err_set(err, ret, "failed to name frames: out of memory") : write_all(&n, err);
	table_frames_deinit(&n.frames);
	string_set_deinit(&n.names);
	free(n.known);
	free(n.model_frames);
	free(n.model_objects);
	model_deinit(&n.model);
	symbols_deinit(&n.symbols);
	packed_rows_deinit(&n.rows);
	return ret;
}
