// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>

#include "format/tables.h"

/* Head: number of rows. */
enum {
	COL_FRAME, /* difference to the previous row's, less 1; in the first row the frame */
	NR_COLS,
};

int exact_frames_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;
	uint64_t next = 0;

	columns_begin(cols, NR_COLS);
	bytes_varint(columns_head(cols), e->nr_exact_frames);
	for (uint32_t i = 0; i < e->nr_exact_frames; i++) {
		uint32_t frame = order->exact_new[i];

		bytes_varint(columns_col(cols, COL_FRAME), frame - next);
		next = (uint64_t)frame + 1;
	}
	return columns_finish(cols);
}

int exact_frames_decode(struct tables *tables, struct cursor *payload, struct fault *fault)
{
	uint64_t nr = cursor_varint(payload), next = 0;
	struct cursor cols[NR_COLS];
	int ret;

	ret = columns_split(payload, cols, NR_COLS, fault);
	if (!ret)
		ret = columns_check_rows(&cols[COL_FRAME], nr, PROF_MAX_TABLE, "rows", fault);
	if (!ret)
		ret = table_resize(&tables->exact_frames, nr, fault);
	if (ret)
		return ret;
	for (uint64_t i = 0; i < nr; i++) {
		uint64_t diff = cursor_varint(&cols[COL_FRAME]);

		if (diff >= tables->frames.nr - next)
			return fault_corrupt(fault, "row %" PRIu64 ": frame is out of range", i);
		tables->exact_frames.data[i] = next + diff;
		next += diff + 1;
	}
	return columns_check_done(cols, NR_COLS, fault);
}
