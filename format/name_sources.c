// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>

#include "format/tables.h"

/* Head: number of rows. */
enum {
	COL_OBJECT, /* difference to the previous row's */
	COL_ORIGIN,
	COL_PARTS,
	COL_FILE, /* difference to the previous row's, zigzag */
	NR_COLS,
};

static int name_sources_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;
	uint32_t object = 0;
	uint64_t file = 0;

	bytes_varint(columns_head(cols), e->nr_name_sources);
	for (uint32_t i = 0; i < e->nr_name_sources; i++) {
		const struct prof_name_source *source = &e->name_sources[i];
		uint64_t new_file = order->string_new[source->file];

		bytes_varint(columns_col(cols, COL_OBJECT), source->object - object);
		bytes_varint(columns_col(cols, COL_ORIGIN), source->origin);
		bytes_varint(columns_col(cols, COL_PARTS), source->parts);
		bytes_varint(columns_col(cols, COL_FILE), zigzag_encode(new_file - file));
		object = source->object;
		file = new_file;
	}
	return 0;
}

static int name_sources_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	uint64_t nr = in->head[0], object = 0, file = 0;
	struct cursor *cols = in->cols;
	int ret = table_resize(&tables->name_sources, nr, fault);

	if (ret)
		return ret;
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t diff = cursor_varint(&cols[COL_OBJECT]);
		uint64_t origin = cursor_varint(&cols[COL_ORIGIN]);
		uint64_t parts = cursor_varint(&cols[COL_PARTS]);

		file += zigzag_decode(cursor_varint(&cols[COL_FILE]));
		if (diff >= tables->objects.nr - object || !(object + diff))
			return fault_corrupt(fault, "row %" PRIu64 ": object is out of range", i);
		if (origin >= PROF_NR_NAME_ORIGINS)
			return fault_corrupt(fault, "row %" PRIu64 ": origin is not known", i);
		if (!parts || parts > NAME_PARTS_ALL)
			return fault_corrupt(fault, "row %" PRIu64 ": parts are not known", i);
		if (file >= tables->strings.nr)
			return fault_corrupt(fault, "row %" PRIu64 ": string is out of range", i);
		object += diff;
		tables->name_sources.data[i] = (struct prof_name_source){
			.object = object, .origin = origin, .parts = parts, .file = file};
	}
	return 0;
}

TABLE_CODEC(name_sources, .type = SECTION_NAME_SOURCES, .nr_head = 1, .nr_cols = NR_COLS,
	    .rows = {{"rows", PROF_MAX_TABLE, COL_OBJECT}});
