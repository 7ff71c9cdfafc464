// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/cleanup.h"
#include "format/attrs.h"
#include "format/records.h"

#define LIMITED(tag, field, max) ATTR_FIELD(struct end_record, tag, field, max)
#define NUMBER(tag, field)       LIMITED(tag, field, UINT64_MAX)

#define TAG_NR_SECTIONS 1
#define TAG_BYTES       2
#define TAG_CPU_TAKEN   34 /* varints */
#define TAG_LACKS       68 /* varints, three for each */

const struct prof_lack_words prof_lack_words[PROF_NR_LACK_KINDS] = {
	[PROF_LACK_PROCESSES] = {"processes",
				 "a process had no room: its stacks are along frame pointers"},
	[PROF_LACK_MAPPINGS] =
		{"mappings of processes",
		 "a process had no room for its mappings: its stacks are along frame pointers"},
	[PROF_LACK_TABLES] =
		{"unwind tables",
		 "a file's unwind table had no time or room: stacks there are along frame pointers"},
	[PROF_LACK_INTERPRETERS] =
		{"interpreters",
		 "an interpreter had no room: functions of its programs are missing"},
	[PROF_LACK_MACHINES] =
		{"machines of Java or Erlang",
		 "a process of Java or Erlang had no room: its functions are missing"},
	[PROF_LACK_JIT_MAPS] =
		{"maps of JIT code",
		 "the map of a process (perf-PID.map) could not be held: its names are missing if the process ended"},
	[PROF_LACK_NAMES] =
		{"names of files",
		 "names of a file were not looked up, as that would have cost too much CPU time or memory: profrep needs the file for them"},
	[PROF_LACK_JIT_READS] =
		{"reading maps of JIT code",
		 "the map of a process (perf-PID.map) was not read, or not to the end, as that would have cost too much CPU time or memory: frames of that code are unknown"},
	[PROF_LACK_COPIES] =
		{"copies of stacks",
		 "a stack of a program that had just begun could not wait for its unwind tables: it is along frame pointers, and may lack callers"},
	[PROF_LACK_FUNCTIONS] =
		{"functions of languages",
		 "a function of an interpreted language had no room: its name may be missing"},
	[PROF_LACK_LOOKS] =
		{"looks at mappings",
		 "reading the mappings of a process was deferred or cut short (CPU budget): some stacks may be incomplete"},
};

static const struct attr_field numbers[] = {
	NUMBER(TAG_NR_SECTIONS, nr_sections),
	NUMBER(TAG_BYTES, bytes),
	NUMBER(3, end.duration_ns),
	NUMBER(4, end.taken),
	NUMBER(5, end.counted),
	NUMBER(6, end.idle),
	NUMBER(7, end.filtered),
	NUMBER(8, end.lost_records),
	LIMITED(9, end.reason, PROF_NR_END_REASONS - 1),
	NUMBER(10, end.lost[PROF_LOSS_STORAGE_FULL]),
	NUMBER(11, end.lost[PROF_LOSS_REFUSED]),
	NUMBER(12, end.lost[PROF_LOSS_WALK_FAILED]),
	NUMBER(18, end.missed_user[PROF_LOSS_STORAGE_FULL]),
	NUMBER(19, end.missed_user[PROF_LOSS_REFUSED]),
	NUMBER(20, end.missed_user[PROF_LOSS_WALK_FAILED]),
	NUMBER(26, end.missed_kernel[PROF_LOSS_STORAGE_FULL]),
	NUMBER(27, end.missed_kernel[PROF_LOSS_REFUSED]),
	NUMBER(28, end.missed_kernel[PROF_LOSS_WALK_FAILED]),
};

/* Numbers after the list. */
static const struct attr_field late_numbers[] = {
	NUMBER(48, end.loads[0]),          NUMBER(49, end.loads[1]),
	NUMBER(50, end.loads[2]),          LIMITED(51, end.nr_cpus_changed, PROF_MAX_CPUS),
	NUMBER(52, end.unfollowed),        NUMBER(53, end.maps_left_out),
	NUMBER(54, end.mappings_left_out), NUMBER(55, end.looks_left_out),
	NUMBER(56, end.infos_left_out),    NUMBER(57, end.skipped),
	NUMBER(58, end.names_left_out),    NUMBER(59, end.copies_left_out),
};

/* Numbers after the lacks. */
static const struct attr_field last_numbers[] = {
	NUMBER(69, end.wanted_ns),
	NUMBER(70, end.running_ns),
};

/* Lists of a number for each event. */
static const struct {
	unsigned int tag, off;
} event_lists[] = {
	{60, offsetof(struct prof_event_end, taken)},
	{61, offsetof(struct prof_event_end, counted)},
	{62, offsetof(struct prof_event_end, sum)},
	{63, offsetof(struct prof_event_end, overflows)},
	{64, offsetof(struct prof_event_end, every_nth)},
	{65, offsetof(struct prof_event_end, blocked)},
	{66, offsetof(struct prof_event_end, unattached)},
	{67, offsetof(struct prof_event_end, shed_gap)},
};

static void encode_event_lists(const struct prof_end *end, struct bytes *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(event_lists) && end->nr_events; i++) {
		struct bytes list = {0};

		for (uint32_t n = 0; n < end->nr_events; n++) {
			const char *event = (const char *)&end->events[n];

			bytes_varint(&list, *(const uint64_t *)(event + event_lists[i].off));
		}
		attrs_put_bytes(b, event_lists[i].tag, list.data, list.nr);
		if (list.err)
			b->err = list.err;
		vec_free(&list);
	}
}

/* Reads the list of @tag if it is one of numbers of events. */
static int decode_event_list(struct end_record *record, uint64_t tag, struct cursor *value,
			     struct fault *fault)
{
	for (size_t i = 0; i < ARRAY_SIZE(event_lists) && record->end.nr_events; i++) {
		if (event_lists[i].tag != tag)
			continue;
		for (uint32_t n = 0; n < record->end.nr_events; n++) {
			char *event = (char *)&record->events[n];

			*(uint64_t *)(event + event_lists[i].off) = cursor_varint(value);
		}
		if (!cursor_is_done(value))
			return fault_corrupt(fault, "attribute %" PRIu64 " has not %u numbers", tag,
					     record->end.nr_events);
	}
	return 0;
}

/* Is @a before @b, or at its place? */
static bool is_ordered(const struct prof_lack *a, const struct prof_lack *b)
{
	return a->kind != b->kind ? a->kind < b->kind : a->uid <= b->uid;
}

void prof_end_add_lack(struct prof_end *end, const struct prof_lack *lack)
{
	struct prof_lack new = *lack, *at;
	uint32_t i = 0, nr_users = 0;

	for (uint32_t k = 0; k < end->nr_lacks; k++)
		nr_users +=
			end->lacks[k].kind == lack->kind && end->lacks[k].uid != PROF_UID_UNKNOWN;
	while (i < end->nr_lacks && !is_ordered(lack, &end->lacks[i]))
		i++;
	at = &end->lacks[i];
	if (i < end->nr_lacks && at->kind == lack->kind && at->uid == lack->uid) {
		if (__builtin_add_overflow(at->nr, lack->nr, &at->nr))
			at->nr = UINT64_MAX;
		return;
	}
	if (nr_users >= PROF_MAX_LACK_USERS && lack->uid != PROF_UID_UNKNOWN) {
		new.uid = PROF_UID_UNKNOWN;
		prof_end_add_lack(end, &new);
		return;
	}
	memmove(at + 1, at, (end->nr_lacks - i) * sizeof(*at));
	*at = new;
	end->nr_lacks++;
}

uint32_t prof_end_counted_percent(const struct prof_end *end)
{
	if (end->running_ns >= end->wanted_ns)
		return 100;
	return (uint32_t)((double)end->running_ns * 100 / (double)end->wanted_ns);
}

static void encode_lacks(const struct prof_end *end, struct bytes *b)
{
	struct bytes list = {0};

	for (uint32_t i = 0; i < end->nr_lacks; i++) {
		bytes_varint(&list, end->lacks[i].kind);
		bytes_varint(&list, end->lacks[i].uid);
		bytes_varint(&list, end->lacks[i].nr);
	}
	if (end->nr_lacks)
		attrs_put_bytes(b, TAG_LACKS, list.data, list.nr);
	if (list.err)
		b->err = list.err;
	vec_free(&list);
}

/* Kinds of later versions are passed over. */
static int decode_lacks(struct prof_end *end, struct cursor *value, struct fault *fault)
{
	while (cursor_left(value)) {
		uint64_t kind = cursor_varint(value), uid = cursor_varint(value);
		const struct prof_lack lack = {kind, uid, cursor_varint(value)};

		if (value->bad || uid > UINT32_MAX)
			return fault_corrupt(fault, "attribute %u is malformed", TAG_LACKS);
		if (kind < PROF_NR_LACK_KINDS)
			prof_end_add_lack(end, &lack);
	}
	return 0;
}

int end_encode(const struct end_record *record, struct bytes *b)
{
	struct bytes taken = {0};

	if (record->end.nr_cpu_taken > PROF_MAX_CPUS ||
	    record->end.nr_cpus_changed > PROF_MAX_CPUS || record->end.nr_events > PROF_MAX_EVENTS)
		return -E2BIG;
	if (record->end.reason >= PROF_NR_END_REASONS)
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		attrs_put_field(b, &numbers[i], record);
	for (uint32_t i = 0; i < record->end.nr_cpu_taken; i++)
		bytes_varint(&taken, record->end.cpu_taken[i]);
	attrs_put_bytes(b, TAG_CPU_TAKEN, taken.data, taken.nr);
	for (size_t i = 0; i < ARRAY_SIZE(late_numbers); i++)
		attrs_put_field(b, &late_numbers[i], record);
	encode_event_lists(&record->end, b);
	encode_lacks(&record->end, b);
	for (size_t i = 0; i < ARRAY_SIZE(last_numbers); i++)
		attrs_put_field(b, &last_numbers[i], record);
	if (taken.err)
		b->err = taken.err;
	vec_free(&taken);
	return b->err;
}

static int decode_cpu_taken(struct end_record *record, struct cursor *value, struct fault *fault)
{
	size_t max = cursor_left(value);

	if (max > PROF_MAX_CPUS)
		max = PROF_MAX_CPUS;
	record->cpu_taken = reallocarray(NULL, max + 1, sizeof(*record->cpu_taken));
	if (!record->cpu_taken)
		return fault_set(fault, -ENOMEM, "out of memory");
	while (cursor_left(value)) {
		uint64_t taken = cursor_varint(value);

		if (value->bad)
			return fault_corrupt(fault, "attribute %u is malformed", TAG_CPU_TAKEN);
		if (record->end.nr_cpu_taken == max)
			return fault_corrupt(fault, "attribute %u: more than %zu CPUs",
					     TAG_CPU_TAKEN, max);
		record->cpu_taken[record->end.nr_cpu_taken++] = taken;
	}
	record->end.cpu_taken = record->cpu_taken;
	return 0;
}

/* Refuses numbers whose sum overflows: a caller who adds them up must not get a wrong sum. */
static int check_sums(const struct prof_end *end, struct fault *fault)
{
	uint64_t lost = end->counted, user = 0, kernel = 0;

	for (int i = 0; i < PROF_NR_LOSSES; i++)
		if (__builtin_add_overflow(lost, end->lost[i], &lost) ||
		    __builtin_add_overflow(user, end->missed_user[i], &user) ||
		    __builtin_add_overflow(kernel, end->missed_kernel[i], &kernel))
			return fault_corrupt(fault, "the sums of samples overflow");
	for (uint32_t i = 0; i < end->nr_events; i++)
		if (__builtin_add_overflow(lost, end->events[i].overflows, &lost))
			return fault_corrupt(fault, "the sums of samples overflow");
	return 0;
}

int end_decode(struct end_record *record, uint32_t nr_events, struct cursor *payload,
	       struct fault *fault)
{
	bool has_sections = false, has_bytes = false;
	struct cursor value;
	uint64_t tag = 0;
	int ret;

	record->events = calloc((size_t)nr_events + 1, sizeof(*record->events));
	if (!record->events)
		return fault_set(fault, -ENOMEM, "out of memory");
	record->end.events = record->events;
	record->end.nr_events = nr_events;
	while ((ret = attrs_next(payload, &tag, &value, fault)) > 0) {
		has_sections |= tag == TAG_NR_SECTIONS;
		has_bytes |= tag == TAG_BYTES;
		if (tag == TAG_CPU_TAKEN)
			ret = decode_cpu_taken(record, &value, fault);
		else if (tag == TAG_LACKS)
			ret = decode_lacks(&record->end, &value, fault);
		else
			ret = attrs_get_field(numbers, ARRAY_SIZE(numbers), tag, &value, record,
					      fault);
		if (!ret)
			ret = decode_event_list(record, tag, &value, fault);
		if (!ret)
			ret = attrs_get_field(late_numbers, ARRAY_SIZE(late_numbers), tag, &value,
					      record, fault);
		if (!ret)
			ret = attrs_get_field(last_numbers, ARRAY_SIZE(last_numbers), tag, &value,
					      record, fault);
		if (ret < 0)
			return ret;
	}
	if (ret)
		return ret;
	if (!has_sections || !has_bytes)
		return fault_corrupt(fault, "attribute %u is missing",
				     has_sections ? TAG_BYTES : TAG_NR_SECTIONS);
	return check_sums(&record->end, fault);
}

void end_deinit(struct end_record *record)
{
	free(record->cpu_taken);
	free(record->events);
}
