// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/writer.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "format/check.h"
#include "format/order.h"
#include "format/output.h"
#include "format/records.h"
#include "format/tables.h"

struct prof_writer {
	struct output out;
	enum { WANTS_META, WANTS_EPOCH, ENDED } state;
	uint32_t nr_events;               /* 0: the recording has no table of events */
	uint64_t totals[PROF_MAX_EVENTS]; /* of the counts of each event so far */
};

static bool has_wakers(const struct prof_epoch *epoch)
{
	for (uint32_t i = 0; i < epoch->nr_counts; i++)
		if (epoch->counts[i].waker_user_stack || epoch->counts[i].waker_kernel_stack)
			return true;
	return false;
}

static bool has_threads(const struct prof_epoch *epoch)
{
	for (uint32_t i = 0; i < epoch->nr_counts; i++)
		if (epoch->counts[i].tid)
			return true;
	return false;
}

static bool has_labels(const struct prof_epoch *epoch)
{
	for (uint32_t i = 0; i < epoch->nr_counts; i++)
		if (epoch->counts[i].label_set)
			return true;
	return false;
}

/* Returns false for a section that may be missing and would say nothing. */
static bool is_needed(const struct prof_writer *writer, enum section_type type,
		      const struct prof_epoch *epoch)
{
	switch (type) {
	case SECTION_PROCESS_INFO:
		return epoch->nr_process_infos;
	case SECTION_PROCESS_ATTRIBUTES:
		return epoch->nr_process_attributes;
	case SECTION_FILE_INFO:
		return epoch->nr_file_infos;
	case SECTION_LANGUAGES:
		return epoch->nr_languages;
	case SECTION_LINES:
		return epoch->nr_lines;
	case SECTION_NAME_SOURCES:
		return epoch->nr_name_sources;
	case SECTION_EXACT_FRAMES:
		return epoch->nr_exact_frames;
	case SECTION_SLICES:
		return epoch->slice_ns && epoch->nr_counts;
	case SECTION_COUNT_EVENTS:
		return writer->nr_events > 1;
	case SECTION_COUNT_WAKERS:
		return has_wakers(epoch);
	case SECTION_COUNT_THREADS:
		return has_threads(epoch);
	case SECTION_LABEL_SETS:
	case SECTION_COUNT_LABELS:
		return has_labels(epoch);
	default:
		return true;
	}
}

int prof_writer_create(prof_write_fn write, void *ctx, struct prof_writer **writer)
{
	struct prof_writer *w = calloc(1, sizeof(*w));
	int ret;

	if (!w)
		return -ENOMEM;
	ret = output_init(&w->out, write, ctx);
	if (ret) {
		prof_writer_destroy(w);
		return ret;
	}
	*writer = w;
	return 0;
}

void prof_writer_destroy(struct prof_writer *writer)
{
	if (!writer)
		return;
	output_deinit(&writer->out);
	free(writer);
}

/* Makes @ret the result of this call and of all later calls. */
static int keep_result(struct prof_writer *writer, int ret)
{
	if (!writer->out.err)
		writer->out.err = ret;
	return writer->out.err;
}

static int write_events(struct prof_writer *writer, const struct prof_meta *meta)
{
	_cleanup_(columns_deinit) struct columns cols = {0};
	int ret = events_encode(meta, &cols);

	writer->nr_events = meta->nr_events;
	return ret ? ret : output_section(&writer->out, SECTION_EVENTS, cols.part, 1 + cols.nr);
}

int prof_writer_meta(struct prof_writer *writer, const struct prof_meta *meta)
{
	struct bytes list = {0};
	int ret = -EINVAL;

	if (writer->out.err)
		return writer->out.err;
	if (writer->state == WANTS_META)
		ret = meta_encode(meta, &list);
	if (!ret)
		ret = output_section(&writer->out, SECTION_META, &list, 1);
	if (!ret && meta->nr_events)
		ret = write_events(writer, meta);
	vec_free(&list);
	writer->state = WANTS_EPOCH;
	return keep_result(writer, ret);
}

static int write_epoch(struct prof_writer *writer, const struct prof_epoch *epoch)
{
	_cleanup_(order_deinit) struct order order = {0};
	_cleanup_(columns_deinit) struct columns cols = {0};
	int ret;

	ret = epoch_check(epoch, writer->nr_events, writer->totals);
	if (ret)
		return ret;
	if (!writer->nr_events && has_wakers(epoch))
		return -EINVAL;
	ret = order_init(&order, epoch);
	for (size_t i = 0; i < NR_EPOCH_TABLES && !ret; i++) {
		const struct table_codec *table = epoch_tables[i];

		if (!is_needed(writer, table->type, epoch))
			continue;
		ret = table_encode(table, &order, &cols);
		if (!ret)
			ret = output_section(&writer->out, table->type, cols.part, 1 + cols.nr);
	}
	return ret;
}

int prof_writer_epoch(struct prof_writer *writer, const struct prof_epoch *epoch)
{
	if (writer->out.err)
		return writer->out.err;
	return keep_result(writer,
			   writer->state == WANTS_EPOCH ? write_epoch(writer, epoch) : -EINVAL);
}

int prof_writer_end(struct prof_writer *writer, const struct prof_end *end)
{
	struct end_record record = {
		.end = *end,
		.nr_sections = writer->out.sequence,
		.bytes = writer->out.bytes,
	};
	struct bytes list = {0};
	int ret = -EINVAL;

	if (writer->out.err)
		return writer->out.err;
	if (writer->state == WANTS_EPOCH && end->nr_events == writer->nr_events)
		ret = end_encode(&record, &list);
	if (!ret)
		ret = output_section(&writer->out, SECTION_END, &list, 1);
	vec_free(&list);
	writer->state = ENDED;
	return keep_result(writer, ret);
}

uint64_t prof_writer_bytes(const struct prof_writer *writer)
{
	return writer->out.bytes;
}
