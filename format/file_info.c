// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>

#include "format/tables.h"

/* Head: number of rows. */
enum {
	COL_OBJECT, /* difference to the previous row's, less 1 */
	COL_INODE,
	COL_SIZE,
	COL_MTIME, /* difference to the previous row's, zigzag */
	COL_CTIME, /* difference to the row's mtime, zigzag */
	NR_COLS,
};

static int file_info_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;
	uint64_t mtime = 0;
	uint32_t object = 0;

	bytes_varint(columns_head(cols), e->nr_file_infos);
	for (uint32_t i = 0; i < e->nr_file_infos; i++) {
		const struct prof_file_info *info = &e->file_infos[i];

		bytes_varint(columns_col(cols, COL_OBJECT), info->object - object - 1);
		bytes_varint(columns_col(cols, COL_INODE), info->inode);
		bytes_varint(columns_col(cols, COL_SIZE), info->size);
		bytes_varint(columns_col(cols, COL_MTIME), zigzag_encode(info->mtime_ns - mtime));
		bytes_varint(columns_col(cols, COL_CTIME),
			     zigzag_encode((uint64_t)info->ctime_ns - (uint64_t)info->mtime_ns));
		object = info->object;
		mtime = info->mtime_ns;
	}
	return 0;
}

static int file_info_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	uint64_t nr = in->head[0], object = 0, mtime = 0;
	struct cursor *cols = in->cols;
	int ret = table_resize(&tables->file_infos, nr, fault);

	if (ret)
		return ret;
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t diff = cursor_varint(&cols[COL_OBJECT]);
		uint64_t inode = cursor_varint(&cols[COL_INODE]);
		uint64_t size = cursor_varint(&cols[COL_SIZE]);

		if (diff >= tables->objects.nr - 1 - object)
			return fault_corrupt(fault, "row %" PRIu64 ": object is out of range", i);
		object += diff + 1;
		mtime += zigzag_decode(cursor_varint(&cols[COL_MTIME]));
		tables->file_infos.data[i] = (struct prof_file_info){
			.object = object,
			.inode = inode,
			.size = size,
			.mtime_ns = mtime,
			.ctime_ns = mtime + zigzag_decode(cursor_varint(&cols[COL_CTIME])),
		};
	}
	return 0;
}

TABLE_CODEC(file_info, .type = SECTION_FILE_INFO, .nr_head = 1, .nr_cols = NR_COLS,
	    .rows = {{"rows", PROF_MAX_TABLE - 1, COL_OBJECT}});
