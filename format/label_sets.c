// SPDX-License-Identifier: GPL-2.0-or-later
/* The labels of requests: the sets that an epoch has, and the set of each count. */
#include <errno.h>
#include <inttypes.h>

#include "format/tables.h"

/* Head of LABEL_SETS: number of sets without set 0, number of labels. */
enum {
	COL_NR,    /* labels of each set */
	COL_KEY,   /* string of each label, difference to the previous label's, zigzag */
	COL_VALUE, /* string, difference to the previous label's, zigzag */
	NR_SET_COLS,
};

static int label_sets_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;
	uint64_t key = 0, value = 0;

	bytes_varint(columns_head(cols), e->nr_label_sets - 1);
	bytes_varint(columns_head(cols), e->nr_labels);
	for (uint32_t i = 1; i < e->nr_label_sets; i++)
		bytes_varint(columns_col(cols, COL_NR), e->label_sets[i].nr_labels);
	for (uint32_t i = 0; i < e->nr_labels; i++) {
		uint64_t new_key = order->string_new[e->labels[i].key];
		uint64_t new_value = order->string_new[e->labels[i].value];

		bytes_varint(columns_col(cols, COL_KEY), zigzag_encode(new_key - key));
		bytes_varint(columns_col(cols, COL_VALUE), zigzag_encode(new_value - value));
		key = new_key;
		value = new_value;
	}
	return 0;
}

static int decode_sets(struct tables *tables, struct cursor *col, struct fault *fault)
{
	uint64_t first = 0;

	tables->label_sets.data[0] = (struct prof_label_set){0};
	for (size_t i = 1; i < tables->label_sets.nr; i++) {
		uint64_t nr = cursor_varint(col);

		if (nr > PROF_MAX_LABELS || nr > tables->labels.nr - first)
			return fault_corrupt(fault, "row %zu: too many labels", i - 1);
		tables->label_sets.data[i] =
			(struct prof_label_set){.first_label = first, .nr_labels = nr};
		first += nr;
	}
	return first == tables->labels.nr
		       ? 0
		       : fault_corrupt(fault, "%zu labels, but sets have %" PRIu64,
				       tables->labels.nr, first);
}

static int label_sets_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	uint64_t key = 0, value = 0;
	int ret = table_resize(&tables->label_sets, in->head[0] + 1, fault);

	if (!ret)
		ret = table_resize(&tables->labels, in->head[1], fault);
	if (!ret)
		ret = decode_sets(tables, &in->cols[COL_NR], fault);
	if (ret)
		return ret;
	for (size_t i = 0; i < tables->labels.nr; i++) {
		key += zigzag_decode(cursor_varint(&in->cols[COL_KEY]));
		value += zigzag_decode(cursor_varint(&in->cols[COL_VALUE]));
		if (key >= tables->strings.nr || value >= tables->strings.nr)
			return fault_corrupt(fault, "row %zu: string is out of range", i);
		tables->labels.data[i] = (struct prof_label){.key = key, .value = value};
	}
	return 0;
}

TABLE_CODEC(label_sets, .type = SECTION_LABEL_SETS, .nr_head = 2, .nr_cols = NR_SET_COLS,
	    .rows = {{"rows", PROF_MAX_TABLE - 1, COL_NR}, {"labels", PROF_MAX_TABLE, COL_KEY}});

/* Head of COUNT_LABELS: number of rows. */
enum {
	COL_SET,
	NR_COUNT_COLS,
};

static int count_labels_encode(const struct order *order, struct columns *cols)
{
	const struct prof_epoch *e = order->epoch;

	bytes_varint(columns_head(cols), e->nr_counts);
	for (uint32_t i = 0; i < e->nr_counts; i++)
		bytes_varint(columns_col(cols, COL_SET), e->counts[order->count_old[i]].label_set);
	return 0;
}

static int count_labels_decode(struct tables *tables, struct table_input *in, struct fault *fault)
{
	int ret = table_resize(&tables->count_labels, in->head[0], fault);

	for (size_t i = 0; i < tables->count_labels.nr && !ret; i++) {
		uint64_t set = cursor_varint(&in->cols[COL_SET]);

		if (set && set >= tables->label_sets.nr)
			ret = fault_corrupt(fault, "row %zu: label set is out of range", i);
		tables->count_labels.data[i] = set;
	}
	return ret;
}

TABLE_CODEC(count_labels, .type = SECTION_COUNT_LABELS, .nr_head = 1, .nr_cols = NR_COUNT_COLS,
	    .rows = {{"rows", PROF_MAX_TABLE, COL_SET}});
