// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "common/cleanup.h"
#include "common/crc32c.h"
#include "format/bytes.h"
#include "format/check.h"
#include "format/order.h"
#include "format/prof_io.h"
#include "format/records.h"
#include "format/section.h"
#include "format/tables.h"

/*
 * The writing side of the container. Payloads go in; compressed sections with their headers go to
 * the callback. Errors are sticky.
 */

struct output {
	prof_write_fn write;
	void *ctx;
	ZSTD_CCtx *cctx;
	struct bytes section; /* header and frame of the section being written */
	uint32_t sequence;    /* of the next section */
	uint64_t bytes;       /* written so far */
	int err;
};

/*
 * Measured on 20,000 nearly distinct stacks and on 400 short processes: levels above 6 take a fifth
 * more time, and save less than one byte in a hundred. The numbers of stacks and counts look random
 * to a match finder. Short matches there cost more than the entropy coder would need.
 */
#define LEVEL             6
#define MIN_MATCH_NUMBERS 6

/*
 * A column that is at least this long ends its zstd block, so that the next column has entropy
 * tables of its own. These cost about a hundred bytes.
 */
#define BLOCK_MIN_BYTES 256
/* A block takes this much room beside its content. */
#define BLOCK_OVERHEAD 16

static int set_parameter(struct output *out, ZSTD_cParameter parameter, int value)
{
	return ZSTD_isError(ZSTD_CCtx_setParameter(out->cctx, parameter, value)) ? -ENOMEM : 0;
}

static int write_bytes(struct output *out, const void *data, size_t len)
{
	out->err = out->write(out->ctx, data, len);
	if (!out->err)
		out->bytes += len;
	return out->err;
}

/* Writes the file header. Returns 0, -ENOMEM, or the callback's error. */
static int output_init(struct output *out, prof_write_fn write, void *ctx)
{
	uint8_t header[FILE_HEADER_BYTES];

	*out = (struct output){.write = write, .ctx = ctx, .cctx = ZSTD_createCCtx()};
	if (!out->cctx || set_parameter(out, ZSTD_c_compressionLevel, LEVEL) ||
	    set_parameter(out, ZSTD_c_checksumFlag, 1))
		return out->err = -ENOMEM;
	file_header_pack(header);
	return write_bytes(out, header, sizeof(header));
}

static void output_deinit(struct output *out)
{
	ZSTD_freeCCtx(out->cctx);
	vec_free(&out->section);
}

static int compress_parts(struct output *out, const struct bytes *parts, unsigned int nr,
			  size_t total)
{
	struct bytes *section = &out->section;
	ZSTD_outBuffer dst = {section->data, section->cap, SECTION_HEADER_BYTES};
	size_t pending = 0;

	ZSTD_CCtx_reset(out->cctx, ZSTD_reset_session_only);
	ZSTD_CCtx_setPledgedSrcSize(out->cctx, total);
	for (unsigned int i = 0; i < nr; i++) {
		ZSTD_inBuffer src = {parts[i].data, parts[i].nr, 0};
		ZSTD_EndDirective directive = ZSTD_e_continue;
		size_t left;

		pending += parts[i].nr;
		if (i + 1 == nr)
			directive = ZSTD_e_end;
		else if (pending >= BLOCK_MIN_BYTES)
			directive = ZSTD_e_flush;
		if (directive == ZSTD_e_flush)
			pending = 0;
		do {
			left = ZSTD_compressStream2(out->cctx, &dst, &src, directive);
			/* The buffer has room for everything, so only memory can be short. */
			if (ZSTD_isError(left) || (left && dst.pos == dst.size))
				return -ENOMEM;
		} while (src.pos < src.size || (left && directive != ZSTD_e_continue));
	}
	section->nr = dst.pos;
	return 0;
}

static int fill_section(struct output *out, enum section_type type, const struct bytes *parts,
			unsigned int nr)
{
	struct section_header header = {
		.type = type,
		.flags = section_flags(type),
		.sequence = out->sequence,
	};
	bool has_numbers = type == SECTION_STACKS || type == SECTION_COUNTS;
	size_t total = 0;
	int ret;

	for (unsigned int i = 0; i < nr; i++) {
		total += parts[i].nr;
		header.payload_crc = crc32c(header.payload_crc, parts[i].data, parts[i].nr);
	}
	if (total > PROF_MAX_SECTION_BYTES)
		return -E2BIG;
	bytes_clear(&out->section);
	ret = vec_reserve(&out->section,
			  SECTION_HEADER_BYTES + ZSTD_compressBound(total) + nr * BLOCK_OVERHEAD);
	if (!ret)
		ret = set_parameter(out, ZSTD_c_minMatch, has_numbers ? MIN_MATCH_NUMBERS : 0);
	if (!ret)
		ret = compress_parts(out, parts, nr, total);
	if (ret)
		return ret;
	header.decoded_bytes = total;
	header.encoded_bytes = out->section.nr - SECTION_HEADER_BYTES;
	section_header_pack(&header, out->section.data);
	return 0;
}

/*
 * Writes a required section whose payload is the @nr @parts in their order. Compresses each part
 * that is large enough with statistics of its own. Returns 0, -E2BIG if the payload exceeds
 * PROF_MAX_SECTION_BYTES, -ENOMEM, the callback's error, or the first error of an earlier call.
 */
static int output_section(struct output *out, enum section_type type, const struct bytes *parts,
			  unsigned int nr)
{
	if (out->err)
		return out->err;
	out->err = fill_section(out, type, parts, nr);
	if (out->err)
		return out->err;
	out->sequence++;
	return write_bytes(out, out->section.data, out->section.nr);
}

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
