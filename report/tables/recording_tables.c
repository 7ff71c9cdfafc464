// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/recording_tables.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "report/tables/table_ids.h"

/* Things of a recording; more of them are taken before its turn ends. */
#define STACK_SLOTS (1u << 18)
#define FRAME_SLOTS (1u << 16)

/* Frames that were seen. */
#define SEEN_BITS       16
#define SEEN_STACK_BITS 14

/* Bytes that wait. Two recordings at a time are read. */
#define WAITING_BYTES ((size_t)12 << 20)

/* Symbols and frames that wait for the end. A recording that has more was made to have them. */
#define HELD_BYTES ((size_t)32 << 20)

static const char *const table_name_sources[NR_TABLE_NAME_SOURCES] = {
	[NAMED_BY_BOUNDS] = "bounds",
	[NAMED_BY_RECORDING] = "recording",
	[NAMED_BY_LINE] = "line",
};

int recording_tables_init(struct recording_tables *tables, const struct known_ids *known)
{
	int ret;

	*tables = (struct recording_tables){
		.known = known,
		.frame_rows.fd = -1,
		.name_rows.fd = -1,
		.seen = calloc((size_t)1 << SEEN_BITS, sizeof(*tables->seen)),
	};
	tables->seen_stacks = calloc((size_t)1 << SEEN_STACK_BITS, sizeof(*tables->seen_stacks));
	if (!tables->seen || !tables->seen_stacks)
		return -ENOMEM;
	ret = packed_rows_init(&tables->samples);
	if (!ret)
		ret = id_set_init(&tables->stacks, STACK_SLOTS);
	if (!ret)
		ret = id_set_init(&tables->frames, FRAME_SLOTS);
	if (!ret)
		ret = id_set_init(&tables->names_seen, FRAME_SLOTS);
	return ret ? ret : string_set_init(&tables->names);
}

void recording_tables_deinit(struct recording_tables *tables)
{
	packed_rows_deinit(&tables->samples);
	free(tables->seen);
	free(tables->seen_stacks);
	id_set_deinit(&tables->stacks);
	id_set_deinit(&tables->frames);
	id_set_deinit(&tables->names_seen);
	vec_free(&tables->new_stacks);
	vec_free(&tables->stack_frames);
	vec_free(&tables->new_frames);
	textbuf_deinit(&tables->frame_rows);
	vec_free(&tables->new_names);
	textbuf_deinit(&tables->name_rows);
	string_set_deinit(&tables->names);
	recorded_names_deinit(&tables->recorded);
}

int recording_tables_begin(struct recording_tables *tables, const struct prof_meta *meta,
			   uint64_t slice_ns)
{
	tables->meta = meta;
	tables->slice_ns = slice_ns;
	tables->end_ns = 0;
	memset(tables->sums, 0, sizeof(tables->sums));
	memset(tables->seen, 0, sizeof(*tables->seen) << SEEN_BITS);
	memset(tables->seen_stacks, 0, sizeof(*tables->seen_stacks) << SEEN_STACK_BITS);
	recorded_names_deinit(&tables->recorded);
	return recording_tables_clear(tables);
}

struct seen_frame *recording_tables_seen(const struct recording_tables *tables, uint64_t basis,
					 uint64_t offset)
{
	/* The multiplier is 2^64 divided by the golden ratio: it spreads near numbers. */
	return &tables->seen[(basis ^ offset) * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SEEN_BITS)];
}

uint64_t *recording_tables_seen_stack(const struct recording_tables *tables, uint64_t id)
{
	return &tables->seen_stacks[id & ((1u << SEEN_STACK_BITS) - 1)];
}

uint64_t recording_id(const struct prof_meta *meta, uint32_t event)
{
	uint64_t id = table_id_str(meta->hostname, 0);

	id = table_id_str(meta->host.boot_id, id);
	id = table_id_u64(meta->start_realtime_ns, id);
	id = table_id_u64(meta->start_monotonic_ns, id);
	id = table_id_str(meta->command_line, id);
	return table_id_u64(event, id);
}

bool recording_tables_is_large(const struct recording_tables *tables)
{
	size_t waiting = tables->samples.packed.nr + tables->frame_rows.nr + tables->name_rows.nr +
			 tables->stack_frames.nr * sizeof(*tables->stack_frames.data) +
			 tables->names.arena.total;

	return waiting > WAITING_BYTES || recorded_names_bytes(&tables->recorded) > HELD_BYTES ||
	       id_set_is_full(&tables->stacks) || id_set_is_full(&tables->frames) ||
	       id_set_is_full(&tables->names_seen);
}

int recording_tables_clear(struct recording_tables *tables)
{
	id_set_clear(&tables->stacks);
	id_set_clear(&tables->frames);
	id_set_clear(&tables->names_seen);
	vec_clear(&tables->new_stacks);
	vec_clear(&tables->stack_frames);
	vec_clear(&tables->new_frames);
	vec_clear(&tables->new_names);
	tables->frame_rows.nr = tables->name_rows.nr = 0;
	bytes_clear(&tables->samples.packed);
	if (recorded_names_bytes(&tables->recorded) > HELD_BYTES)
		recorded_names_deinit(&tables->recorded);
	string_set_deinit(&tables->names);
	return string_set_init(&tables->names);
}

/* Returns true if @id is new, and notes it in @own. */
static bool is_new(const struct id_set *known, struct id_set *own, uint64_t id)
{
	return !id_set_has(known, id) && id_set_add(own, id);
}

bool recording_tables_begin_stack(struct recording_tables *tables, uint64_t id)
{
	return is_new(&tables->known->stacks, &tables->stacks, id);
}

int recording_tables_end_stack(struct recording_tables *tables, uint64_t id)
{
	const struct new_thing stack = {id, tables->stack_frames.nr};

	return vec_push(&tables->new_stacks, stack);
}

static int end_frame(struct recording_tables *tables, uint64_t id)
{
	const struct new_thing row = {id, tables->frame_rows.nr};

	if (tables->frame_rows.error)
		return tables->frame_rows.error;
	return vec_push(&tables->new_frames, row);
}

int recording_tables_add_frame(struct recording_tables *tables, const struct frame_identity *frame,
			       const struct object_identity *object)
{
	if (!is_new(&tables->known->frames, &tables->frames, frame->id))
		return 0;
	frame_identity_put(&tables->frame_rows, frame, object, tables->meta);
	return end_frame(tables, frame->id);
}

/* A name that is not of the recording's symbols has an id of its own among those that were seen. */
static uint64_t name_key(uint64_t id, enum table_name_source source, uint32_t depth)
{
	if (source == NAMED_BY_RECORDING)
		return id;
	return table_id_u64(id, source == NAMED_BY_BOUNDS ? 0 : (uint64_t)depth + 1);
}

bool recording_tables_has_name(const struct recording_tables *tables, uint64_t id)
{
	return id_set_has(&tables->known->names, id) || id_set_has(&tables->names_seen, id);
}

/* Keeps the row of @line for a frame, which has @object's build-id, if there is an object. */
static int keep_name(struct recording_tables *tables, const struct frame_identity *frame,
		     const struct object_identity *object, const struct table_line *line,
		     enum table_name_source source)
{
	struct textbuf *out = &tables->name_rows;
	struct new_name name = {
		.row.id = name_key(frame->id, source, line->depth),
		.better = name_key(frame->id,
				   source == NAMED_BY_BOUNDS ? NAMED_BY_RECORDING : NAMED_BY_LINE,
				   line->depth),
	};
	int ret;

	if (!is_new(&tables->known->names, &tables->names_seen, name.row.id))
		return 0;
	textbuf_u64(out, frame->id);
	textbuf_char(out, '\t');
	if (object)
		build_id_put(out, object->object);
	textbuf_printf(out, "\t%" PRIu64 "\t%" PRIu32 "\t", frame->offset, line->depth);
	name.name_at = out->nr;
	textbuf_char(out, '\t');
	packed_rows_field(out, line->file);
	textbuf_printf(out, "%" PRIu32 "\t%s\n", line->line, table_name_sources[source]);
	name.row.end = out->nr;
	ret = out->error;
	if (!ret)
		ret = string_set_add(&tables->names, line->name.s, line->name.len, &name.name);
	return ret ? ret : vec_push(&tables->new_names, name);
}

static int keep_text(struct recording_tables *tables, const struct frame_identity *frame,
		     const struct object_identity *object, const char *s, size_t len,
		     enum table_name_source source)
{
	const struct table_line line = {.name = {s, len}, .file = ""};

	return keep_name(tables, frame, object, &line, source);
}

/* The text that profrep shows for a function without a name. */
static int keep_bounds(struct recording_tables *tables, const struct frame_identity *frame,
		       const struct object_identity *object, uint64_t start)
{
	const char *slash = strrchr(object->path, '/');
	struct textbuf text = {.fd = -1};
	int ret;

	textbuf_printf(&text, "[%s+0x%" PRIx64 "]", slash ? slash + 1 : object->path, start);
	ret = text.error ? text.error
			 : keep_text(tables, frame, object, text.data, text.nr, NAMED_BY_BOUNDS);
	textbuf_deinit(&text);
	return ret;
}

int recording_tables_add_name(struct recording_tables *tables, const struct frame_identity *frame,
			      const struct object_identity *object, const struct range *range)
{
	if (range && range->len)
		return keep_text(tables, frame, object, range->name, range->len,
				 NAMED_BY_RECORDING);
	if (range && object->class != IDENTITY_NAME && object->path[0])
		return keep_bounds(tables, frame, object, range->start);
	return 0;
}

int recording_tables_add_line(struct recording_tables *tables, const struct frame_identity *frame,
			      const struct object_identity *object, const struct table_line *line)
{
	return keep_name(tables, frame, object, line, NAMED_BY_LINE);
}

static int name_waiting(void *ctx, const struct object_identity *object, uint64_t offset,
			const struct range *range)
{
	const struct frame_identity frame = frame_identity_make(object, offset, "");

	return recording_tables_add_name(ctx, &frame, object, range);
}

int recording_tables_finish(struct recording_tables *tables)
{
	return recorded_names_finish(&tables->recorded, name_waiting, tables);
}

int recording_tables_add_note(struct recording_tables *tables, const struct frame_identity *note)
{
	if (is_new(&tables->known->frames, &tables->frames, note->id)) {
		note_identity_put(&tables->frame_rows, note);
		if (end_frame(tables, note->id))
			return -ENOMEM;
	}
	return keep_text(tables, note, NULL, note->name, strlen(note->name), NAMED_BY_RECORDING);
}
