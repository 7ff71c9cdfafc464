// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/merge/merged_epochs.h"

#include "report/merge/merged_tables.h"

/* An epoch ends when a table has so many elements. They leave room below the format's limits. */
#define ROWS_MAX         (UINT32_C(1) << 18)
#define STACK_FRAMES_MAX (UINT32_C(1) << 20)
#define PAIRS_MAX        (UINT32_C(1) << 17)
#define STRING_BYTES_MAX (UINT32_C(4) << 20)

static bool is_full(const struct merged_tables *t)
{
	return t->out_counts.nr >= ROWS_MAX || t->out_stack_frames.nr >= STACK_FRAMES_MAX ||
	       t->pairs.nr >= PAIRS_MAX || t->string_bytes >= STRING_BYTES_MAX;
}

static int write_epoch(struct merged_tables *t, struct prof_writer *writer,
		       const struct merged_span *span)
{
	struct prof_epoch epoch;
	int ret = merged_tables_finish(t, &epoch);

	epoch.begin_ns = span->begin_ns;
	epoch.end_ns = span->end_ns;
	return ret ? ret : prof_writer_epoch(writer, &epoch);
}

static int write_rows(struct merged_tables *t, struct prof_writer *writer,
		      const struct merged_span *span)
{
	int ret = 0;

	for (size_t i = 0; i < t->model->rows.nr && !ret; i++) {
		ret = merged_tables_put(t, &t->model->rows.data[i]);
		if (ret || !is_full(t))
			continue;
		ret = write_epoch(t, writer, span);
		if (!ret)
			ret = merged_tables_begin(t);
	}
	if (!ret && t->out_counts.nr)
		ret = write_epoch(t, writer, span);
	return ret;
}

int merged_epochs_write(struct prof_writer *writer, const struct model *model,
			struct merged_span *span)
{
	struct merged_tables tables;
	int ret = merged_tables_init(&tables, model, &span->last_number);

	if (!ret)
		ret = write_rows(&tables, writer, span);
	merged_tables_deinit(&tables);
	return ret;
}
