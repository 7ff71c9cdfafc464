// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "format/tables.h"

/* Head: number of objects without object 0, which is not stored. */
enum {
	COL_KIND,
	COL_FLAGS,
	COL_BUILD_ID_SIZE,
	COL_BUILD_ID,
	COL_PATH, /* difference to the previous object's, zigzag */
	COL_INSTANCE,
	NR_COLS,
};

static int objects_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;
	uint64_t prev_path = 0;

	bytes_varint(columns_head(cols), e->nr_objects - 1);
	for (uint32_t i = 1; i < e->nr_objects; i++) {
		const struct prof_object *object = &e->objects[i];
		uint64_t path = order->string_new[object->path];

		bytes_varint(columns_col(cols, COL_KIND), object->kind);
		bytes_varint(columns_col(cols, COL_FLAGS), object->flags);
		bytes_varint(columns_col(cols, COL_BUILD_ID_SIZE), object->build_id_size);
		bytes_put(columns_col(cols, COL_BUILD_ID), object->build_id, object->build_id_size);
		bytes_varint(columns_col(cols, COL_PATH), zigzag_encode(path - prev_path));
		bytes_varint(columns_col(cols, COL_INSTANCE), object->instance);
		prev_path = path;
	}
	return 0;
}

static int decode_object(const struct tables *tables, struct cursor *cols, uint64_t *path,
			 struct prof_object *object, struct fault *fault)
{
	uint64_t kind = cursor_varint(&cols[COL_KIND]);
	uint64_t flags = cursor_varint(&cols[COL_FLAGS]);
	uint64_t size = cursor_varint(&cols[COL_BUILD_ID_SIZE]);
	uint64_t instance = cursor_varint(&cols[COL_INSTANCE]);
	const uint8_t *build_id;

	*path += zigzag_decode(cursor_varint(&cols[COL_PATH]));
	if (kind >= PROF_NR_OBJECT_KINDS)
		return fault_corrupt(fault, "kind %" PRIu64 " is not known", kind);
	if (flags & ~(uint64_t)PROF_OBJECT_DELETED)
		return fault_corrupt(fault, "flags 0x%" PRIx64 " are not known", flags);
	if (size > PROF_MAX_BUILD_ID)
		return fault_corrupt(fault, "build-id of %" PRIu64 " bytes exceeds the limit of %u",
				     size, PROF_MAX_BUILD_ID);
	if (*path >= tables->strings.nr)
		return fault_corrupt(fault, "string %" PRIu64 " is out of range", *path);
	if (instance > UINT32_MAX)
		return fault_corrupt(fault, "instance %" PRIu64 " is out of range", instance);
	build_id = cursor_bytes(&cols[COL_BUILD_ID], size);
	if (!build_id)
		return fault_corrupt(fault, "build-id exceeds the column");
	*object = (struct prof_object){
		.kind = kind,
		.flags = flags,
		.build_id_size = size,
		.path = *path,
		.instance = instance,
	};
	memcpy(object->build_id, build_id, size);
	return 0;
}

static int objects_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	uint64_t nr = in->head[0], path = 0;
	int ret = table_resize(&tables->objects, nr + 1, fault);

	if (ret)
		return ret;
	tables->objects.data[0] = (struct prof_object){.kind = PROF_OBJECT_NONE};
	for (uint64_t i = 1; i <= nr; i++) {
		ret = decode_object(tables, in->cols, &path, &tables->objects.data[i], fault);
		if (ret)
			return fault_in_row(fault, ret, "object", i);
	}
	return 0;
}

TABLE_CODEC(objects, .type = SECTION_OBJECTS, .nr_head = 1, .nr_cols = NR_COLS,
	    .rows = {{"objects", PROF_MAX_TABLE - 1, COL_KIND}});
