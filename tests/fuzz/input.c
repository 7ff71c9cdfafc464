// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "common/cleanup.h"
#include "common/crc32c.h"
#include "common/vec.h"
#include "format/bytes.h"
#include "format/reader.h"
#include "format/section.h"

struct source {
	const uint8_t *data;
	size_t nr, pos;
};

static ssize_t read_source(void *ctx, void *buf, size_t len)
{
	struct source *source = ctx;

	if (len > source->nr - source->pos)
		len = source->nr - source->pos;
	if (len)
		memcpy(buf, source->data + source->pos, len);
	source->pos += len;
	return len;
}

static void add_section(struct bytes *b, uint32_t type, uint32_t sequence, const uint8_t *payload,
			size_t len)
{
	uint8_t packed[SECTION_HEADER_BYTES];
	struct section_header header = {
		.type = type,
		.flags = section_flags(type),
		.sequence = sequence,
		.decoded_bytes = len,
		.payload_crc = crc32c(0, payload, len),
	};
	ZSTD_CCtx *cctx = ZSTD_createCCtx();
	size_t bound = ZSTD_compressBound(len), size;
	uint8_t *frame = malloc(bound);

	if (!cctx || !frame)
		abort();
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_compressionLevel, 1);
	size = ZSTD_compress2(cctx, frame, bound, payload, len);
	if (ZSTD_isError(size))
		abort();
	header.encoded_bytes = size;
	section_header_pack(&header, packed);
	bytes_put(b, packed, sizeof(packed));
	bytes_put(b, frame, size);
	free(frame);
	ZSTD_freeCCtx(cctx);
}

/* Makes a recording of a list of sections. An end record gets the right numbers. */
static void build(struct bytes *b, const uint8_t *data, size_t len)
{
	uint8_t header[FILE_HEADER_BYTES];

	file_header_pack(header);
	bytes_put(b, header, sizeof(header));
	for (uint32_t sequence = 0; len >= 4; sequence++) {
		uint32_t type = get_le(data, 1);
		size_t size = get_le(data + 1, 3);
		struct bytes end = {0};

		data += 4;
		len -= 4;
		if (size > len)
			size = len;
		if (type == SECTION_END) {
			struct bytes number = {0};

			for (unsigned int tag = 1; tag <= 2; tag++) {
				bytes_clear(&number);
				bytes_varint(&number, tag == 1 ? sequence : b->nr);
				bytes_varint(&end, tag);
				bytes_varint(&end, number.nr);
				bytes_put(&end, number.data, number.nr);
			}
			vec_free(&number);
		}
		bytes_put(&end, data, size);
		add_section(b, type, sequence, end.data ? end.data : data, end.nr);
		vec_free(&end);
		data += size;
		len -= size;
	}
}

static uint64_t walk_lines(const struct prof_epoch *e)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < e->nr_lines; i++)
		for (uint32_t j = 0; j < e->lines[i].nr_frames; j++) {
			const struct prof_source_frame *frame =
				&e->source_frames[e->lines[i].first_frame + j];

			sum += e->objects[e->lines[i].object].kind + e->strings[frame->name].len +
			       e->strings[frame->file].len + frame->line;
		}
	return sum;
}

static uint64_t walk_labels(const struct prof_epoch *e)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < e->nr_label_sets; i++)
		for (uint32_t j = 0; j < e->label_sets[i].nr_labels; j++) {
			const struct prof_label *label =
				&e->labels[e->label_sets[i].first_label + j];

			sum += e->strings[label->key].len + e->strings[label->value].len;
		}
	for (uint32_t i = 0; i < e->nr_counts; i++)
		if (e->counts[i].label_set)
			sum += e->label_sets[e->counts[i].label_set].nr_labels;
	return sum;
}

/* Uses every id as a consumer would. A sanitizer sees ids that are out of range. */
static uint64_t walk(const struct prof_epoch *e)
{
	uint64_t sum = walk_lines(e) + walk_labels(e);

	for (uint32_t i = 0; i < e->nr_strings; i++)
		sum += strlen(e->strings[i].s) == e->strings[i].len ? 1 : (abort(), 0);
	for (uint32_t i = 0; i < e->nr_objects; i++)
		sum += e->strings[e->objects[i].path].len + e->objects[i].build_id_size;
	for (uint32_t i = 0; i < e->nr_processes; i++)
		for (uint32_t j = 0; j < e->processes[i].nr_mappings; j++) {
			const struct prof_mapping *m =
				&e->mappings[e->processes[i].first_mapping + j];

			sum += e->objects[m->object].kind + m->start;
		}
	for (uint32_t i = 0; i < e->nr_process_infos; i++) {
		const struct prof_process_info *info = &e->process_infos[i];

		sum += e->processes[info->process].pid + info->ns_pid + info->uid +
		       e->strings[info->name].len + e->strings[info->exe].len +
		       e->strings[info->cgroup].len;
	}
	for (uint32_t i = 0; i < e->nr_process_attributes; i++)
		sum += e->processes[e->process_attributes[i].process].pid +
		       e->strings[e->process_attributes[i].key].len +
		       e->strings[e->process_attributes[i].value].len;
	for (uint32_t i = 0; i < e->nr_file_infos; i++)
		sum += e->objects[e->file_infos[i].object].kind + e->file_infos[i].size;
	for (uint32_t i = 0; i < e->nr_languages; i++)
		sum += e->objects[e->languages[i].object].kind +
		       e->strings[e->languages[i].name].len +
		       e->strings[e->languages[i].version].len;
	for (uint32_t i = 0; i < e->nr_name_sources; i++)
		sum += e->objects[e->name_sources[i].object].kind +
		       e->strings[e->name_sources[i].file].len + e->name_sources[i].parts;
	for (uint32_t i = 0; i < e->nr_exact_frames; i++)
		sum += e->frames[e->exact_frames[i]].offset;
	for (uint32_t i = 0; i < e->nr_symbols; i++)
		sum += e->objects[e->symbols[i].object].kind + e->strings[e->symbols[i].name].len;
	for (uint32_t i = 0; i < e->nr_stacks; i++)
		for (uint32_t j = 0; j < e->stacks[i].nr_frames; j++) {
			uint32_t frame = e->stack_frames[e->stacks[i].first_frame + j];

			sum += e->objects[e->frames[frame].object].kind;
		}
	for (uint32_t i = 0; i < e->nr_counts; i++)
		sum += e->processes[e->counts[i].process].pid + e->strings[e->counts[i].comm].len +
		       e->stacks[e->counts[i].user_stack].end +
		       e->stacks[e->counts[i].kernel_stack].end +
		       e->stacks[e->counts[i].waker_user_stack].end +
		       e->stacks[e->counts[i].waker_kernel_stack].end + e->counts[i].count +
		       (e->counts[i].event < PROF_MAX_EVENTS ? 0 : (abort(), 0));
	for (uint32_t i = 0; i < e->nr_slices; i++)
		sum += e->counts[e->slices[i].row].count - e->slices[i].count + e->slices[i].slice;
	return sum;
}

/* Uses the two records as a consumer would. @end is NULL when there is none. */
static uint64_t walk_records(const struct prof_meta *meta, const struct prof_end *end)
{
	const char *const strings[] = {
		meta->hostname,        meta->kernel_release,
		meta->kernel_version,  meta->arch,
		meta->recorder,        meta->command_line,
		meta->event,           meta->cpus,
		meta->command,         meta->filters,
		meta->host.boot_id,    meta->host.cpu_model,
		meta->host.hypervisor,
	};
	uint64_t sum = meta->zone + meta->unwinding + meta->max_stack_depth + meta->interval_ns;

	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		sum += strlen(strings[i]);
	for (uint32_t i = 0; i < meta->nr_pids; i++)
		sum += meta->pids[i];
	for (uint32_t i = 0; i < meta->nr_tids; i++)
		sum += meta->tids[i];
	for (uint32_t i = 0; i < meta->nr_events; i++)
		sum += strlen(meta->events[i].name) + strlen(meta->events[i].weight);
	for (uint32_t i = 0; end && i < end->nr_events; i++)
		sum += end->events[i].sum;
	for (uint32_t i = 0; end && i < end->nr_cpu_taken; i++)
		sum += end->cpu_taken[i];
	return end ? sum + end->reason + end->loads[0] : sum;
}

void input_run(const uint8_t *data, size_t len, int verbose)
{
	struct prof_reader *reader = NULL;
	const struct prof_epoch *epoch;
	struct source source = {data, len, 0};
	struct bytes built = {0};
	uint64_t sum = 0;
	int ret, nr = 0;

	if (len > INPUT_MAX_BYTES)
		return;
	if (len < 4 || get_le(data, 4) != FILE_FRAME_MAGIC) {
		build(&built, data, len);
		source = (struct source){built.data, built.nr, 0};
	}
	ret = prof_reader_create(read_source, &source, &reader);
	while (!ret || ret == PROF_READ_EPOCH) {
		ret = prof_reader_next(reader, &epoch);
		if (ret == PROF_READ_EPOCH) {
			sum += walk(epoch);
			nr++;
		}
	}
	if (ret < 0 && !*prof_reader_error(reader))
		abort();
	if (reader && ret == PROF_READ_END)
		sum += walk_records(prof_reader_meta(reader), prof_reader_end(reader));
	if (verbose)
		printf("%d epochs, sum %llu: %s\n", nr, (unsigned long long)sum,
		       ret < 0 ? prof_reader_error(reader) : "complete");
	prof_reader_destroy(reader);
	vec_free(&built);
}
