// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/write/merged_epochs.h"

#include "report/write/merged_slices.h"
#include "report/write/merged_tables.h"

/*
 * An epoch ends when a table has this many elements, which leaves room below the format's limits.
 */
#define ROWS_MAX         (UINT32_C(1) << 18)
#define STACK_FRAMES_MAX (UINT32_C(1) << 20)
#define PAIRS_MAX        (UINT32_C(1) << 17)
#define STRING_BYTES_MAX (UINT32_C(4) << 20)
#define SLICES_MAX       (UINT32_C(1) << 19)

/* The epoch that is being made. */
struct merged_epoch {
	struct merged_tables tables;
	struct merged_slices slices;
	const struct merged_span *span;
	struct prof_writer *writer;
};

static bool is_full(const struct merged_epoch *m)
{
	const struct merged_tables *t = &m->tables;

	return m->slices.out.nr >= SLICES_MAX || t->out_counts.nr >= ROWS_MAX ||
	       t->out_stack_frames.nr >= STACK_FRAMES_MAX || t->pairs.nr >= PAIRS_MAX ||
	       t->string_bytes >= STRING_BYTES_MAX;
}

static int write_epoch(struct merged_epoch *m)
{
	struct prof_epoch epoch;
	int ret = merged_tables_finish(&m->tables, &epoch);

	if (ret)
		return ret;
	merged_slices_finish(&m->slices, &epoch);
	epoch.begin_ns = m->span->begin_ns;
	epoch.end_ns = m->span->end_ns;
	return prof_writer_epoch(m->writer, &epoch);
}

static int put_row(struct merged_epoch *m, uint32_t row)
{
	int ret = merged_tables_put(&m->tables, &m->tables.model->rows.data[row]);

	return ret ? ret : merged_slices_put(&m->slices, row, m->tables.out_counts.nr - 1);
}

static int write_rows(struct merged_epoch *m)
{
	int ret = 0;

	for (size_t i = 0; i < m->tables.model->rows.nr && !ret; i++) {
		ret = put_row(m, i);
		if (ret || !is_full(m))
			continue;
		ret = write_epoch(m);
		merged_slices_begin(&m->slices);
		if (!ret)
			ret = merged_tables_begin(&m->tables);
	}
	if (!ret && m->tables.out_counts.nr)
		ret = write_epoch(m);
	return ret;
}

int merged_epochs_write(struct prof_writer *writer, const struct model *model,
			struct merged_span *span)
{
	struct merged_epoch m = {.span = span, .writer = writer};
	int ret = merged_slices_init(&m.slices, model, span->end_ns - span->begin_ns);

	if (!ret)
		ret = merged_tables_init(&m.tables, model, &span->last_number);
	if (!ret)
		ret = write_rows(&m);
	merged_tables_deinit(&m.tables);
	merged_slices_deinit(&m.slices);
	return ret;
}
