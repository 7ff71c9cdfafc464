// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/cleanup.h"
#include "format/attrs.h"
#include "format/records.h"

/* Tags of the strings, in their order in struct prof_meta. */
static const struct {
	unsigned int tag, off;
} strings[] = {
	{1, offsetof(struct prof_meta, hostname)},
	{2, offsetof(struct prof_meta, kernel_release)},
	{3, offsetof(struct prof_meta, kernel_version)},
	{4, offsetof(struct prof_meta, arch)},
	{5, offsetof(struct prof_meta, recorder)},
	{6, offsetof(struct prof_meta, command_line)},
	{7, offsetof(struct prof_meta, event)},
	{8, offsetof(struct prof_meta, cpus)},
	{9, offsetof(struct prof_meta, command)},
	{10, offsetof(struct prof_meta, filters)},
	{13, offsetof(struct prof_meta, host.boot_id)},
	{14, offsetof(struct prof_meta, host.cpu_model)},
	{15, offsetof(struct prof_meta, host.hypervisor)},
};

#define LIMITED(tag, field, max) ATTR_FIELD(struct prof_meta, tag, field, max)
#define NUMBER(tag, field)       LIMITED(tag, field, UINT64_MAX)

#define TAG_NR_EVENTS     42 /* only in recordings that have a table of events */
#define TAG_NR_RECORDINGS 54 /* only in merged recordings */
#define TAG_BACKEND       55 /* only where it is not BPF */

static const struct attr_field numbers[] = {
	LIMITED(16, event_type, UINT32_MAX),
	NUMBER(17, event_config),
	NUMBER(18, freq_hz),
	NUMBER(19, period),
	NUMBER(20, start_realtime_ns),
	NUMBER(21, start_monotonic_ns),
	NUMBER(22, duration_ns),
	NUMBER(23, stack_storage),
	NUMBER(24, hash_storage),
	LIMITED(25, nr_cpus, PROF_MAX_CPUS),
	LIMITED(26, only_cpu, PROF_MAX_CPUS),
	LIMITED(27, sides, PROF_SIDES_KERNEL),
	LIMITED(28, include_idle, 1),
	LIMITED(31, max_stack_depth, PROF_MAX_STACK_FRAMES),
	LIMITED(32, unwinding, PROF_UNWINDING_TABLES),
	NUMBER(40, interval_ns),
	LIMITED(41, zone, 2 * PROF_ZONE_UTC),
	LIMITED(TAG_NR_EVENTS, nr_events, PROF_MAX_EVENTS),
	LIMITED(48, host.nr_cpus_online, PROF_MAX_CPUS),
	LIMITED(49, host.nr_cpus_possible, PROF_MAX_CPUS),
	NUMBER(50, host.memory_bytes),
	NUMBER(51, loads[0]),
	NUMBER(52, loads[1]),
	NUMBER(53, loads[2]),
	LIMITED(TAG_NR_RECORDINGS, nr_recordings, UINT32_MAX),
	LIMITED(TAG_BACKEND, backend, PROF_BACKEND_PTRACE),
};

/* Tags of the lists of ids, which have 32 bits each. */
static const struct {
	unsigned int tag, off, nr_off;
} lists[META_NR_LISTS] = {
	{29, offsetof(struct prof_meta, pids), offsetof(struct prof_meta, nr_pids)},
	{30, offsetof(struct prof_meta, tids), offsetof(struct prof_meta, nr_tids)},
};

#define LAST_TAG TAG_BACKEND

static const char **string_at(struct prof_meta *meta, size_t i)
{
	return (const char **)((char *)meta + strings[i].off);
}

static const uint32_t **list_at(struct prof_meta *meta, size_t i, uint32_t **nr)
{
	*nr = (uint32_t *)((char *)meta + lists[i].nr_off);
	return (const uint32_t **)((char *)meta + lists[i].off);
}

static int encode_list(struct prof_meta *meta, size_t i, struct bytes *b)
{
	struct bytes ids = {0};
	uint32_t *nr;
	const uint32_t **list = list_at(meta, i, &nr);

	if (*nr > PROF_MAX_PIDS)
		return -E2BIG;
	for (uint32_t n = 0; n < *nr; n++)
		bytes_varint(&ids, (*list)[n]);
	attrs_put_bytes(b, lists[i].tag, ids.data, ids.nr);
	if (ids.err)
		b->err = ids.err;
	vec_free(&ids);
	return 0;
}

/* Writes the attribute with this tag, if there is one. */
static int encode_attr(struct prof_meta *meta, unsigned int tag, struct bytes *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++) {
		const char *s = *string_at(meta, i);
		size_t len = s ? strlen(s) : 0;

		if (strings[i].tag != tag)
			continue;
		if (len > PROF_MAX_STRING_BYTES)
			return -E2BIG;
		attrs_put_bytes(b, tag, s, len);
	}
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (numbers[i].tag == tag && (tag != TAG_NR_EVENTS || meta->nr_events) &&
		    (tag != TAG_NR_RECORDINGS || meta->nr_recordings) &&
		    (tag != TAG_BACKEND || meta->backend))
			attrs_put_field(b, &numbers[i], meta);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (lists[i].tag == tag)
			return encode_list(meta, i, b);
	return 0;
}

int meta_encode(const struct prof_meta *meta, struct bytes *b)
{
	struct prof_meta copy = *meta;
	int ret = 0;

	if (meta->nr_cpus > PROF_MAX_CPUS || meta->host.nr_cpus_online > PROF_MAX_CPUS ||
	    meta->host.nr_cpus_possible > PROF_MAX_CPUS || meta->nr_events > PROF_MAX_EVENTS)
		return -E2BIG;
	if (meta->sides > PROF_SIDES_KERNEL || meta->include_idle > 1 ||
	    meta->only_cpu > PROF_MAX_CPUS || meta->max_stack_depth > PROF_MAX_STACK_FRAMES ||
	    meta->zone > 2 * PROF_ZONE_UTC || meta->unwinding > PROF_UNWINDING_TABLES ||
	    meta->backend > PROF_BACKEND_PTRACE)
		return -EINVAL;
	for (unsigned int tag = 1; !ret && tag <= LAST_TAG; tag++)
		ret = encode_attr(&copy, tag, b);
	return ret ? ret : b->err;
}

static int decode_string(struct meta_record *record, size_t i, struct cursor *value, char **text,
			 struct fault *fault)
{
	size_t len = cursor_left(value);

	if (len > PROF_MAX_STRING_BYTES)
		return fault_corrupt(fault, "attribute %u: %zu bytes exceed the limit of %u",
				     strings[i].tag, len, PROF_MAX_STRING_BYTES);
	if (memchr(value->p, 0, len))
		return fault_corrupt(fault, "attribute %u: NUL in a string", strings[i].tag);
	*string_at(&record->meta, i) = *text;
	memcpy(*text, value->p, len);
	(*text)[len] = 0;
	*text += len + 1;
	return 0;
}

static int decode_list(struct meta_record *record, size_t i, struct cursor *value,
		       struct fault *fault)
{
	size_t max = cursor_left(value);
	uint32_t *ids, *nr;
	const uint32_t **list = list_at(&record->meta, i, &nr);

	if (max > PROF_MAX_PIDS)
		max = PROF_MAX_PIDS;
	ids = record->lists[i] = reallocarray(NULL, max + 1, sizeof(*ids));
	if (!ids)
		return fault_set(fault, -ENOMEM, "out of memory");
	while (cursor_left(value)) {
		uint64_t id = cursor_varint(value);

		if (value->bad || id > UINT32_MAX)
			return fault_corrupt(fault, "attribute %u is malformed", lists[i].tag);
		if (*nr == max)
			return fault_corrupt(fault, "attribute %u: more than %zu ids", lists[i].tag,
					     max);
		ids[(*nr)++] = id;
	}
	*list = ids;
	return 0;
}

static int decode_attr(struct meta_record *record, uint64_t tag, struct cursor *value, char **text,
		       struct fault *fault)
{
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		if (strings[i].tag == tag)
			return decode_string(record, i, value, text, fault);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (lists[i].tag == tag)
			return decode_list(record, i, value, fault);
	ret = attrs_get_field(numbers, ARRAY_SIZE(numbers), tag, value, &record->meta, fault);
	return ret < 0 ? ret : 0;
}

int meta_decode(struct meta_record *record, struct cursor *payload, struct fault *fault)
{
	/* The payload holds every string once. This is room for all of them and their NULs. */
	char *text = record->text = malloc(cursor_left(payload) + ARRAY_SIZE(strings));
	struct cursor value;
	uint64_t tag = 0;
	int ret;

	if (!text)
		return fault_set(fault, -ENOMEM, "out of memory");
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
		*string_at(&record->meta, i) = "";
	while ((ret = attrs_next(payload, &tag, &value, fault)) > 0) {
		ret = decode_attr(record, tag, &value, &text, fault);
		if (ret)
			return ret;
	}
	return ret;
}

void meta_deinit(struct meta_record *record)
{
	free(record->text);
	free(record->events);
	free(record->event_text);
	for (size_t i = 0; i < ARRAY_SIZE(record->lists); i++)
		free(record->lists[i]);
}
