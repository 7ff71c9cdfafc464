// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The counts by slices of time. The last part of a row is not stored: it is the rest of the row's
 * count. So the parts of a row cannot but add up, and most rows, which have one part, take two
 * bytes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "format/tables.h"

/* Head: number of rows, number of parts, length of a slice, time from slice 0 to the epoch. */
enum {
	COL_PARTS, /* of the row, less 1 */
	COL_SLICE, /* of a row's first part; else the difference to the previous part's, less 1 */
	COL_COUNT, /* of each part but a row's last */
	NR_COLS,
};

/* Finds the first part of each row. *@first has one element more than there are rows. */
static int find_first_parts(const struct prof_epoch *e, uint32_t **first)
{
	uint32_t at = 0;

	*first = reallocarray(NULL, (size_t)e->nr_counts + 1, sizeof(**first));
	if (!*first)
		return -ENOMEM;
	for (uint32_t row = 0; row <= e->nr_counts; row++) {
		while (at < e->nr_slices && e->slices[at].row < row)
			at++;
		(*first)[row] = at;
	}
	return 0;
}

static int slices_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;
	_cleanup_free_ uint32_t *first = NULL;
	int ret = find_first_parts(e, &first);

	if (ret)
		return ret;
	bytes_varint(columns_head(cols), e->nr_counts);
	bytes_varint(columns_head(cols), e->nr_slices);
	bytes_varint(columns_head(cols), e->slice_ns);
	bytes_varint(columns_head(cols), e->slice_phase_ns);
	for (uint32_t i = 0; i < e->nr_counts; i++) {
		uint32_t row = order->count_old[i], next = 0;

		bytes_varint(columns_col(cols, COL_PARTS), first[row + 1] - first[row] - 1);
		for (uint32_t at = first[row]; at < first[row + 1]; at++) {
			bytes_varint(columns_col(cols, COL_SLICE), e->slices[at].slice - next);
			next = e->slices[at].slice + 1;
			if (at + 1 < first[row + 1])
				bytes_varint(columns_col(cols, COL_COUNT), e->slices[at].count);
		}
	}
	return 0;
}

/* Decodes the @nr parts of row @row into @parts. */
static int decode_row(struct prof_slice *parts, uint64_t nr, uint32_t row, struct cursor *cols,
		      struct fault *fault)
{
	uint64_t next = 0;

	for (uint64_t i = 0; i < nr; i++) {
		uint64_t diff = cursor_varint(&cols[COL_SLICE]);

		if (diff >= PROF_MAX_SLICES - next)
			return fault_corrupt(fault, "row %" PRIu32 ": slice is out of range", row);
		parts[i] = (struct prof_slice){.row = row, .slice = next + diff};
		next += diff + 1;
		if (i + 1 == nr)
			break;
		parts[i].count = cursor_varint(&cols[COL_COUNT]);
		if (!parts[i].count)
			return fault_corrupt(fault, "row %" PRIu32 ": a part is 0", row);
	}
	return 0;
}

static int slices_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	uint64_t nr_rows = in->head[0], nr = in->head[1], at = 0;
	int ret = table_resize(&tables->slices, nr, fault);

	if (ret)
		return ret;
	tables->nr_sliced_rows = nr_rows;
	tables->slice_ns = in->head[2];
	tables->slice_phase_ns = in->head[3];
	if (!tables->slice_ns || tables->slice_ns > PROF_MAX_SLICE_NS ||
	    tables->slice_phase_ns >= tables->slice_ns)
		return fault_corrupt(fault, "the length of the slices is out of range");
	for (uint64_t row = 0; row < nr_rows && !ret; row++) {
		uint64_t more = cursor_varint(&in->cols[COL_PARTS]);

		if (more >= nr - at)
			return fault_corrupt(fault, "row %" PRIu64 ": too many parts", row);
		ret = decode_row(tables->slices.data + at, more + 1, row, in->cols, fault);
		at += more + 1;
	}
	return ret || at == nr
		       ? ret
		       : fault_corrupt(fault, "%" PRIu64 " parts belong to no row", nr - at);
}

int slices_complete(struct tables *tables, struct fault *fault)
{
	uint64_t last_ns = tables->slice_phase_ns + (tables->end_ns - tables->begin_ns);
	uint64_t given = 0;

	if (!tables->slice_ns)
		return 0;
	if (tables->nr_sliced_rows != tables->counts.nr)
		return fault_corrupt(fault, "%zu counts, but slices of %" PRIu32, tables->counts.nr,
				     tables->nr_sliced_rows);
	for (size_t i = 0; i < tables->slices.nr; i++) {
		struct prof_slice *part = &tables->slices.data[i];
		uint64_t count = tables->counts.data[part->row].count;
		bool is_last = i + 1 == tables->slices.nr || part[1].row != part->row;

		if (part->slice * tables->slice_ns > last_ns)
			return fault_corrupt(fault, "count %" PRIu32 ": slice after the epoch",
					     part->row);
		if (is_last)
			part->count = count - given;
		if (part->count > count - given || !part->count)
			return fault_corrupt(fault, "count %" PRIu32 ": slices add up to too much",
					     part->row);
		given = is_last ? 0 : given + part->count;
	}
	return 0;
}

TABLE_CODEC(slices, .type = SECTION_SLICES, .nr_head = 4, .nr_cols = NR_COLS,
	    .rows = {{"rows", PROF_MAX_TABLE, COL_PARTS}, {"parts", PROF_MAX_TABLE, COL_SLICE}});
