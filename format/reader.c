// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "format/input.h"
#include "format/records.h"
#include "format/tables.h"

/* The place before the text of a fault takes at most this room. */
#define PLACE_BYTES 64

struct prof_reader {
	struct input in;
	struct meta_record meta;
	struct end_record end;
	struct tables tables;
	struct prof_epoch epoch;
	int result; /* 0, or an error or PROF_READ_END, which all later calls return */
	char error[PLACE_BYTES + sizeof(struct fault)];
};

/* Words the error that this call and all later calls return. Returns @ret. */
static int set_error(struct prof_reader *r, int ret, const struct fault *fault)
{
	const char *name = section_name(r->in.section_type);

	if (!r->in.section_off)
		snprintf(r->error, sizeof(r->error), "file header at offset 0: %s", fault->text);
	else if (name)
		snprintf(r->error, sizeof(r->error), "section '%s' at offset %" PRIu64 ": %s", name,
			 r->in.section_off, fault->text);
	else if (r->in.section_type)
		snprintf(r->error, sizeof(r->error),
			 "section of type %" PRIu32 " at offset %" PRIu64 ": %s",
			 r->in.section_type, r->in.section_off, fault->text);
	else
		snprintf(r->error, sizeof(r->error), "section at offset %" PRIu64 ": %s",
			 r->in.section_off, fault->text);
	return r->result = ret;
}

/* Refuses the section that was read if it is not of the type that is due. */
static int check_due(const struct prof_reader *r, enum section_type due, struct fault *fault)
{
	return r->in.section_type == due
		       ? 0
		       : fault_corrupt(fault, "stands where '%s' is due", section_name(due));
}

/* Reads the table of events, if the description says that there is one. */
static int read_events(struct prof_reader *r, struct fault *fault)
{
	struct cursor payload;
	int ret;

	r->tables.nr_events = r->meta.meta.nr_events;
	if (!r->tables.nr_events)
		return 0;
	ret = input_section(&r->in, &payload, fault);
	if (!ret)
		ret = check_due(r, SECTION_EVENTS, fault);
	return ret ? ret : events_decode(&r->meta, &payload, fault);
}

static int read_meta(struct prof_reader *r, struct fault *fault)
{
	struct cursor payload;
	int ret = input_section(&r->in, &payload, fault);

	if (!ret)
		ret = check_due(r, SECTION_META, fault);
	if (!ret)
		ret = meta_decode(&r->meta, &payload, fault);
	return ret ? ret : read_events(r, fault);
}

int prof_reader_create(prof_read_fn read, void *ctx, struct prof_reader **reader)
{
	struct prof_reader *r = calloc(1, sizeof(*r));
	struct fault fault;
	int ret;

	if (!r || input_init(&r->in, read, ctx)) {
		prof_reader_destroy(r);
		return -ENOMEM;
	}
	*reader = r;
	ret = input_file_header(&r->in, &fault);
	if (!ret)
		ret = read_meta(r, &fault);
	return ret ? set_error(r, ret, &fault) : 0;
}

void prof_reader_destroy(struct prof_reader *reader)
{
	if (!reader)
		return;
	input_deinit(&reader->in);
	meta_deinit(&reader->meta);
	end_deinit(&reader->end);
	tables_deinit(&reader->tables);
	free(reader);
}

static int read_end(struct prof_reader *r, uint32_t nr_sections, struct cursor *payload,
		    struct fault *fault)
{
	int ret = end_decode(&r->end, r->tables.nr_events, payload, fault);

	if (ret)
		return ret;
	if (r->end.nr_sections != nr_sections)
		return fault_corrupt(fault, "%" PRIu64 " sections are said to precede it, not %u",
				     r->end.nr_sections, nr_sections);
	if (r->end.bytes != r->in.section_off)
		return fault_corrupt(fault, "%" PRIu64 " bytes are said to precede it",
				     r->end.bytes);
	ret = input_check_eof(&r->in, fault);
	return ret ? ret : PROF_READ_END;
}

/* May an epoch of the recording lack the section? */
static bool may_lack(const struct prof_reader *r, enum section_type type)
{
	if (type == SECTION_COUNT_EVENTS)
		return r->tables.nr_events <= 1;
	return type == SECTION_COUNT_WAKERS || !section_flags(type);
}

/* May an epoch of the recording have the section? */
static bool may_have(const struct prof_reader *r, enum section_type type)
{
	if (type == SECTION_COUNT_EVENTS)
		return r->tables.nr_events > 1;
	return type != SECTION_COUNT_WAKERS || r->tables.nr_events;
}

/*
 * Returns the position of the section that is due from @i on: the one of @type, or one before it
 * that no epoch lacks. Sections that are passed over are missing from the epoch.
 */
static size_t next_table(const struct prof_reader *r, size_t i, uint32_t type)
{
	while ((epoch_tables[i]->type != type || !may_have(r, type)) &&
	       may_lack(r, epoch_tables[i]->type))
		i++;
	return i;
}

/* Reads the sections of an epoch, or the end record in place of the first. */
static int read_next(struct prof_reader *r, struct fault *fault)
{
	vec_clear(&r->tables.process_infos);
	vec_clear(&r->tables.process_attributes);
	vec_clear(&r->tables.file_infos);
	vec_clear(&r->tables.languages);
	vec_clear(&r->tables.lines);
	vec_clear(&r->tables.source_frames);
	vec_clear(&r->tables.name_sources);
	vec_clear(&r->tables.exact_frames);
	vec_clear(&r->tables.count_events);
	vec_clear(&r->tables.slices);
	r->tables.has_count_wakers = false;
	r->tables.has_count_threads = false;
	vec_clear(&r->tables.labels);
	vec_clear(&r->tables.label_sets);
	vec_clear(&r->tables.count_labels);
	r->tables.slice_ns = 0;
	for (size_t i = 0; i < NR_EPOCH_TABLES; i++) {
		struct cursor payload;
		int ret = input_section(&r->in, &payload, fault);

		if (!ret && r->in.section_type == SECTION_END && i == 0)
			return read_end(r, r->in.sequence - 1, &payload, fault);
		if (!ret) {
			i = next_table(r, i, r->in.section_type);
			ret = check_due(r, epoch_tables[i]->type, fault);
		}
		if (!ret)
			ret = table_decode(epoch_tables[i], &r->tables, &payload, fault);
		if (ret)
			return ret;
	}
	tables_epoch(&r->tables, &r->epoch);
	return PROF_READ_EPOCH;
}

int prof_reader_next(struct prof_reader *reader, const struct prof_epoch **epoch)
{
	struct fault fault;
	int ret;

	if (reader->result)
		return reader->result;
	ret = read_next(reader, &fault);
	if (ret < 0)
		return set_error(reader, ret, &fault);
	if (ret == PROF_READ_END)
		reader->result = ret;
	else
		*epoch = &reader->epoch;
	return ret;
}

const char *prof_reader_error(const struct prof_reader *reader)
{
	return reader->error;
}

const struct prof_meta *prof_reader_meta(const struct prof_reader *reader)
{
	return &reader->meta.meta;
}

const struct prof_end *prof_reader_end(const struct prof_reader *reader)
{
	return reader->result == PROF_READ_END ? &reader->end.end : NULL;
}

uint64_t prof_reader_bytes(const struct prof_reader *reader)
{
	return reader->in.bytes;
}
