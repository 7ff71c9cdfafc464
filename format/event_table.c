// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "format/columns.h"
#include "format/records.h"

/* Head: number of events. */
enum {
	COL_KIND,
	COL_UNIT,
	COL_NAME_LENGTH,
	COL_NAMES,
	COL_WEIGHT_LENGTH,
	COL_WEIGHTS,
	COL_PROBES,
	COL_PERIOD,
	NR_COLS,
};

/* Appends a string, or nothing for NULL. Returns 0 or -E2BIG. */
static int encode_string(const char *s, struct bytes *length, struct bytes *text)
{
	size_t len = s ? strlen(s) : 0;

	if (len > PROF_MAX_STRING_BYTES)
		return -E2BIG;
	bytes_varint(length, len);
	bytes_put(text, s, len);
	return 0;
}

int events_encode(const struct prof_meta *meta, struct columns *cols)
{
	int ret = 0;

	columns_begin(cols, NR_COLS);
	bytes_varint(columns_head(cols), meta->nr_events);
	for (uint32_t i = 0; i < meta->nr_events && !ret; i++) {
		const struct prof_event *event = &meta->events[i];

		if (event->kind >= PROF_NR_EVENT_KINDS || event->unit >= PROF_NR_EVENT_UNITS)
			return -EINVAL;
		bytes_varint(columns_col(cols, COL_KIND), event->kind);
		bytes_varint(columns_col(cols, COL_UNIT), event->unit);
		ret = encode_string(event->name, columns_col(cols, COL_NAME_LENGTH),
				    columns_col(cols, COL_NAMES));
		if (!ret)
			ret = encode_string(event->weight, columns_col(cols, COL_WEIGHT_LENGTH),
					    columns_col(cols, COL_WEIGHTS));
		bytes_varint(columns_col(cols, COL_PROBES), event->nr_probes);
		bytes_varint(columns_col(cols, COL_PERIOD), event->period);
	}
	return ret ? ret : columns_finish(cols);
}

/* Copies a string to *@text, with a NUL, and moves *@text after it. */
static int decode_string(struct cursor *lengths, struct cursor *bytes, const char **s, char **text,
			 struct fault *fault)
{
	uint64_t len = cursor_varint(lengths);
	const uint8_t *p;

	if (len > PROF_MAX_STRING_BYTES)
		return fault_corrupt(fault, "%" PRIu64 " bytes exceed the limit of %u", len,
				     PROF_MAX_STRING_BYTES);
	p = cursor_bytes(bytes, len);
	if (!p)
		return fault_corrupt(fault, "string exceeds the column");
	if (memchr(p, 0, len))
		return fault_corrupt(fault, "NUL in a string");
	*s = memcpy(*text, p, len);
	(*text)[len] = 0;
	*text += len + 1;
	return 0;
}

static int decode_event(struct cursor *cols, struct prof_event *event, char **text,
			struct fault *fault)
{
	uint64_t kind = cursor_varint(&cols[COL_KIND]), unit = cursor_varint(&cols[COL_UNIT]);
	int ret;

	if (kind >= PROF_NR_EVENT_KINDS)
		return fault_corrupt(fault, "kind %" PRIu64 " is not known", kind);
	if (unit >= PROF_NR_EVENT_UNITS)
		return fault_corrupt(fault, "unit %" PRIu64 " is not known", unit);
	ret = decode_string(&cols[COL_NAME_LENGTH], &cols[COL_NAMES], &event->name, text, fault);
	if (!ret)
		ret = decode_string(&cols[COL_WEIGHT_LENGTH], &cols[COL_WEIGHTS], &event->weight,
				    text, fault);
	event->kind = kind;
	event->unit = unit;
	event->nr_probes = cursor_varint(&cols[COL_PROBES]);
	event->period = cursor_varint(&cols[COL_PERIOD]);
	return ret;
}

int events_decode(struct meta_record *record, struct cursor *payload, struct fault *fault)
{
	uint64_t nr = cursor_varint(payload);
	struct cursor cols[NR_COLS];
	char *text;
	int ret = columns_split(payload, cols, NR_COLS, fault);

	if (!ret && nr != record->meta.nr_events)
		ret = fault_corrupt(fault, "%" PRIu64 " events, but 'meta' says %u", nr,
				    record->meta.nr_events);
	if (!ret)
		ret = columns_check_rows(&cols[COL_KIND], nr, PROF_MAX_EVENTS, "events", fault);
	if (ret)
		return ret;
	record->events = calloc(nr, sizeof(*record->events));
	text = record->event_text =
		malloc(cursor_left(&cols[COL_NAMES]) + cursor_left(&cols[COL_WEIGHTS]) + 2 * nr);
	if (!record->events || !text)
		return fault_set(fault, -ENOMEM, "out of memory");
	for (uint64_t i = 0; i < nr; i++) {
		ret = decode_event(cols, &record->events[i], &text, fault);
		if (ret)
			return fault_in_row(fault, ret, "event", i);
	}
	record->meta.events = record->events;
	return columns_check_done(cols, NR_COLS, fault);
}
