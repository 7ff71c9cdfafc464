// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>

#include "format/tables.h"

/* Head: number of rows. */
enum {
	COL_FRAME, /* difference to the previous row's, less 1; in the first row the frame */
	NR_COLS,
};

static int exact_frames_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;
	uint64_t next = 0;

	bytes_varint(columns_head(cols), e->nr_exact_frames);
	for (uint32_t i = 0; i < e->nr_exact_frames; i++) {
		uint32_t frame = order->exact_new[i];

		bytes_varint(columns_col(cols, COL_FRAME), frame - next);
		next = (uint64_t)frame + 1;
	}
	return 0;
}

static int exact_frames_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	uint64_t nr = in->head[0], next = 0;
	int ret = table_resize(&tables->exact_frames, nr, fault);

	if (ret)
		return ret;
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t diff = cursor_varint(&in->cols[COL_FRAME]);

		if (diff >= tables->frames.nr - next)
			return fault_corrupt(fault, "row %" PRIu64 ": frame is out of range", i);
		tables->exact_frames.data[i] = next + diff;
		next += diff + 1;
	}
	return 0;
}

TABLE_CODEC(exact_frames, .type = SECTION_EXACT_FRAMES, .nr_head = 1, .nr_cols = NR_COLS,
	    .rows = {{"rows", PROF_MAX_TABLE, COL_FRAME}});
