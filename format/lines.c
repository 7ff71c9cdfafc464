// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>

#include "format/tables.h"

/* Head: number of lines, number of frames. */
enum {
	COL_OBJECT,    /* difference to the previous line's */
	COL_OFFSET,    /* difference within an object, less 1; else the offset */
	COL_NR_FRAMES, /* less 1 */
	COL_NAME,      /* of each frame: difference to the previous frame's, zigzag */
	COL_FILE,      /* of each frame: difference to the previous frame's, zigzag */
	COL_LINE,      /* of each frame: twice the line, and 1 for an inlined function */
	NR_COLS,
};

static void encode_frames(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;
	uint64_t name = 0, file = 0;

	for (uint32_t i = 0; i < e->nr_source_frames; i++) {
		const struct prof_source_frame *frame = &e->source_frames[i];
		uint64_t new_name = order->string_new[frame->name];
		uint64_t new_file = order->string_new[frame->file];

		bytes_varint(columns_col(cols, COL_NAME), zigzag_encode(new_name - name));
		bytes_varint(columns_col(cols, COL_FILE), zigzag_encode(new_file - file));
		bytes_varint(columns_col(cols, COL_LINE),
			     (uint64_t)frame->line << 1 | frame->is_inlined);
		name = new_name;
		file = new_file;
	}
}

static int lines_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;
	uint64_t object = 0, next = 0;

	bytes_varint(columns_head(cols), e->nr_lines);
	bytes_varint(columns_head(cols), e->nr_source_frames);
	for (uint32_t i = 0; i < e->nr_lines; i++) {
		const struct prof_line *line = &e->lines[i];

		bytes_varint(columns_col(cols, COL_OBJECT), line->object - object);
		bytes_varint(columns_col(cols, COL_OFFSET),
			     line->offset - (line->object == object ? next : 0));
		bytes_varint(columns_col(cols, COL_NR_FRAMES), line->nr_frames - 1);
		object = line->object;
		next = line->offset + 1;
	}
	encode_frames(order, cols);
	return 0;
}

static int decode_frames(struct tables *tables, struct cursor *cols, struct fault *fault)
{
	uint64_t name = 0, file = 0;

	for (size_t i = 0; i < tables->source_frames.nr; i++) {
		uint64_t line = cursor_varint(&cols[COL_LINE]);

		name += zigzag_decode(cursor_varint(&cols[COL_NAME]));
		file += zigzag_decode(cursor_varint(&cols[COL_FILE]));
		if (name >= tables->strings.nr || file >= tables->strings.nr)
			return fault_corrupt(fault, "frame %zu: string is out of range", i);
		if (line >> 1 > UINT32_MAX)
			return fault_corrupt(fault, "frame %zu: line is out of range", i);
		tables->source_frames.data[i] = (struct prof_source_frame){
			.name = name, .file = file, .line = line >> 1, .is_inlined = line & 1};
	}
	return 0;
}

static int decode_lines(struct tables *tables, struct cursor *cols, struct fault *fault)
{
	/* offset is that of the line before, plus 1; 0 after the largest one. */
	uint64_t object = 0, offset = 0, nr_frames = 0;

	for (size_t i = 0; i < tables->lines.nr; i++) {
		uint64_t object_diff = cursor_varint(&cols[COL_OBJECT]);
		uint64_t offset_diff = cursor_varint(&cols[COL_OFFSET]);
		uint64_t nr = cursor_varint(&cols[COL_NR_FRAMES]);
		bool is_after_end = i && !offset && !object_diff;

		if (object_diff >= tables->objects.nr - object)
			return fault_corrupt(fault, "line %zu: object is out of range", i);
		if (object_diff)
			offset = 0;
		object += object_diff;
		if (is_after_end || __builtin_add_overflow(offset, offset_diff, &offset))
			return fault_corrupt(fault, "line %zu exceeds its object", i);
		if (nr >= tables->source_frames.nr - nr_frames)
			return fault_corrupt(fault, "line %zu exceeds the frames", i);
		tables->lines.data[i] = (struct prof_line){.object = object,
							   .offset = offset,
							   .first_frame = nr_frames,
							   .nr_frames = nr + 1};
		nr_frames += nr + 1;
		offset++;
	}
	if (nr_frames != tables->source_frames.nr)
		return fault_corrupt(fault, "%zu frames, but the lines have %" PRIu64,
				     tables->source_frames.nr, nr_frames);
	return 0;
}

static int lines_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	int ret = table_resize(&tables->lines, in->head[0], fault);

	if (!ret)
		ret = table_resize(&tables->source_frames, in->head[1], fault);
	if (!ret)
		ret = decode_lines(tables, in->cols, fault);
	return ret ? ret : decode_frames(tables, in->cols, fault);
}

TABLE_CODEC(lines, .type = SECTION_LINES, .nr_head = 2, .nr_cols = NR_COLS,
	    .rows = {{"lines", PROF_MAX_TABLE, COL_OBJECT},
		     {"frames", PROF_MAX_EPOCH_FRAMES, COL_NAME}});
