// SPDX-License-Identifier: GPL-2.0-or-later
/* Turns the counts of an epoch into rows of samples, and their stacks into stacks of the tables. */
#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "format/check.h"
#include "report/model/cgroup_text.h"
#include "report/model/process_name.h"
#include "report/tables/epoch_frames.h"
#include "report/tables/service_name.h"
#include "report/tables/slice_times.h"
#include "report/tables/table_ids.h"
#include "report/text/json_writer.h"

/* A part of a row's text that is made once, in the texts of the epoch. */
struct row_text {
	size_t start;
	uint32_t len; /* 0: not made yet; no part is empty */
};

/* Names in the attributes of a process; NULL: none. */
struct named_process {
	const char *service, *container;
};

struct epoch_tables {
	struct recording_tables *to;
	const struct prof_epoch *epoch;
	struct epoch_frames frames;
	uint64_t *side_ids; /* by stack that a count has */
	struct textbuf texts;
	struct row_text *comms;                 /* by string: name of the thread */
	struct row_text *before;                /* by process: host, service and cgroup */
	struct row_text *after;                 /* by process: pid and build-id of the executable */
	struct row_text *cgroup_parts;          /* by process: container, pod, unit */
	struct row_text *labels;                /* by label set: of the request, end of the row */
	struct row_text *times;                 /* by slice: begin and length */
	uint64_t *begins_ms;                    /* by slice */
	const struct prof_process_info **infos; /* by process */
	struct named_process *named;            /* by process */
	uint64_t stack;                         /* the id of the count's */
	uint8_t end;                            /* of the count: enum prof_stack_end */
	struct row_text recordings[PROF_MAX_EVENTS]; /* their ids */
	uint32_t next_part;                          /* in the epoch's slices */
};

#define END_TEXT(text)                                                                             \
	{                                                                                          \
		text "\t", sizeof(text "\t") - 1                                                   \
	}

static const struct end_text {
	const char *s;
	size_t len;
} end_texts[PROF_NR_STACK_ENDS] = {
	[PROF_STACK_UNKNOWN] = END_TEXT("unknown"),
	[PROF_STACK_COMPLETE] = END_TEXT("complete"),
	[PROF_STACK_CUT] = END_TEXT("cut"),
	[PROF_STACK_MISSED_FULL] = END_TEXT("missed"),
	[PROF_STACK_MISSED_ERROR] = END_TEXT("missed"),
	[PROF_STACK_STRAYED] = END_TEXT("strayed"),
	[PROF_STACK_NO_TABLE] = END_TEXT("no table"),
	[PROF_STACK_BAD_RULE] = END_TEXT("bad rule"),
	[PROF_STACK_UNREADABLE] = END_TEXT("unreadable"),
	[PROF_STACK_EARLY] = END_TEXT("early"),
};

static void put_text(struct epoch_tables *t, struct row_text *text)
{
	textbuf_bytes(&t->to->samples.text, t->texts.data + text->start, text->len);
}

static struct row_text end_text(const struct epoch_tables *t, size_t start)
{
	return (struct row_text){.start = start, .len = t->texts.nr - start};
}

/* Appends the ids of the frames of @id to the stack that is being made. */
static int put_side(struct epoch_tables *t, uint32_t id, bool is_leaf_first)
{
	const struct prof_stack *stack = &t->epoch->stacks[id];
	uint32_t nr = stack->nr_frames;
	int ret = vec_reserve(&t->to->stack_frames, nr);

	for (uint32_t i = 0; i < nr && !ret; i++)
		ret = vec_push(&t->to->stack_frames,
			       epoch_frames_id(&t->frames, stack, is_leaf_first ? i : nr - 1 - i));
	return ret;
}

static int put_note(struct epoch_tables *t, const char *text)
{
	const struct frame_identity note = note_identity_make(text);
	int ret = recording_tables_add_note(t->to, &note);

	return ret ? ret : vec_push(&t->to->stack_frames, note.id);
}

static int put_side_or_note(struct epoch_tables *t, uint32_t id, bool is_kernel, bool is_leaf_first)
{
	if (stack_end_is_missed(t->epoch->stacks[id].end))
		return put_note(t, is_kernel ? "[Missed Kernel Stack]" : "[Missed User Stack]");
	return put_side(t, id, is_leaf_first);
}

/* Appends the frames of @count, in the order of profrep's exports: the root first. */
static int put_frames(struct epoch_tables *t, const struct prof_count *count)
{
	size_t nr = t->to->stack_frames.nr;
	int ret = put_side_or_note(t, count->user_stack, false, false);

	if (!ret)
		ret = put_side_or_note(t, count->kernel_stack, true, false);
	if (!ret && (count->waker_kernel_stack || count->waker_user_stack)) {
		ret = put_note(t, "--");
		if (!ret)
			ret = put_side_or_note(t, count->waker_kernel_stack, true, true);
		if (!ret)
			ret = put_side_or_note(t, count->waker_user_stack, false, true);
	}
	if (!ret && t->to->stack_frames.nr == nr)
		ret = put_note(t, "[no stack]");
	return ret;
}

/*
 * Makes the ids of all stacks. Stacks of a recording are sorted by their frames from the root, so a
 * stack begins like the one before it. @ids has the ids up to the frames of that.
 */
static void make_side_ids(struct epoch_tables *t, uint64_t *ids)
{
	const struct prof_stack *stacks = t->epoch->stacks, *before = &stacks[0];

	for (uint32_t id = 0; id < t->epoch->nr_stacks; id++) {
		const struct prof_stack *stack = &stacks[id];
		bool is_missed = stack_end_is_missed(stack->end);
		uint32_t nr = stack->nr_frames, nr_same;

		if (!t->frames.has_stack[id])
			continue;
		nr_same = is_missed ? 0 : epoch_frames_nr_same(t->epoch, stack, before);
		for (uint32_t i = nr_same; i < nr; i++) {
			uint64_t frame = epoch_frames_id(&t->frames, stack, nr - 1 - i);

			ids[i + 1] = table_id_u64(frame, ids[i]);
		}
		t->side_ids[id] = is_missed ? table_id_u64(1, 0) : ids[nr];
		before = is_missed ? before : stack;
	}
}

static int find_side_ids(struct epoch_tables *t)
{
	_cleanup_free_ uint64_t *ids = calloc(PROF_MAX_STACK_FRAMES + 1, sizeof(*ids));

	if (!ids)
		return -ENOMEM;
	ids[0] = table_id_u64(0, 0);
	make_side_ids(t, ids);
	return 0;
}

static uint64_t stack_id(const struct epoch_tables *t, const struct prof_count *count)
{
	const uint64_t *sides = t->side_ids;
	uint64_t id = table_id_u64(sides[count->kernel_stack], sides[count->user_stack]);

	if (!count->waker_kernel_stack && !count->waker_user_stack)
		return id;
	id = table_id_u64(sides[count->waker_kernel_stack], id);
	return table_id_u64(sides[count->waker_user_stack], id);
}

static uint8_t end_of(const struct epoch_tables *t, const struct prof_count *count)
{
	uint8_t kernel_end = t->epoch->stacks[count->kernel_stack].end;

	if (stack_end_is_missed(kernel_end) || !count->user_stack)
		return kernel_end;
	return t->epoch->stacks[count->user_stack].end;
}

static bool has_stack_of(const struct prof_count *a, const struct prof_count *b)
{
	return a->user_stack == b->user_stack && a->kernel_stack == b->kernel_stack &&
	       a->waker_user_stack == b->waker_user_stack &&
	       a->waker_kernel_stack == b->waker_kernel_stack;
}

/* Keeps the stack @id of @count, unless it is known. */
static int keep_stack(struct epoch_tables *t, const struct prof_count *count, uint64_t id)
{
	int ret;

	if (!recording_tables_begin_stack(t->to, id))
		return 0;
	ret = put_frames(t, count);
	return ret ? ret : recording_tables_end_stack(t->to, id);
}

/* Finds the id of the count's stack, which is often that of the count before. */
static int find_stack(struct epoch_tables *t, const struct prof_count *count,
		      const struct prof_count *before)
{
	uint64_t *seen;
	int ret = 0;

	if (before && has_stack_of(count, before))
		return 0;
	t->stack = stack_id(t, count);
	seen = recording_tables_seen_stack(t->to, t->stack);
	if (*seen != t->stack) {
		*seen = t->stack;
		ret = keep_stack(t, count, t->stack);
	}
	t->end = end_of(t, count);
	return ret;
}

/* Returns the object that is the executable at the path @exe, NULL if no mapping tells. */
static const struct prof_object *executable_of(const struct epoch_tables *t,
					       const struct prof_process *process, uint32_t exe)
{
	for (uint32_t i = 0; i < process->nr_mappings; i++) {
		const struct prof_mapping *mapping =
			&t->epoch->mappings[process->first_mapping + i];
		const struct prof_object *object = &t->epoch->objects[mapping->object];

		if (object->path == exe && object->build_id_size)
			return object;
	}
	return NULL;
}

static void make_before(struct epoch_tables *t, uint32_t process)
{
	const struct prof_string *strings = t->epoch->strings;
	const struct prof_process_info *info = t->infos[process];
	const char *cgroup = info ? strings[info->cgroup].s : "";
	const char *name = info ? process_name(strings[info->name].s, strings[info->exe].s) : "";
	const struct named_process *named = &t->named[process];
	size_t start = t->texts.nr;

	packed_rows_field(&t->texts, t->to->meta->hostname);
	service_name_put_field(
		&t->texts,
		&(struct service_facts){.said = named->service ? named->service : "",
					.cgroup = cgroup,
					.container = named->container ? named->container : "",
					.name = name,
					.is_kernel = !process});
	textbuf_char(&t->texts, '\t');
	packed_rows_field(&t->texts, cgroup);
	t->before[process] = end_text(t, start);
}

static void make_after(struct epoch_tables *t, uint32_t process)
{
	const struct prof_process_info *info = t->infos[process];
	const struct prof_process *p = &t->epoch->processes[process];
	const struct prof_object *exe = info && info->exe ? executable_of(t, p, info->exe) : NULL;
	size_t start = t->texts.nr;

	textbuf_u64(&t->texts, p->pid);
	textbuf_char(&t->texts, '\t');
	if (exe)
		build_id_put(&t->texts, exe);
	textbuf_char(&t->texts, '\t');
	t->after[process] = end_text(t, start);
}

static void make_cgroup_parts(struct epoch_tables *t, uint32_t process)
{
	const struct prof_process_info *info = t->infos[process];
	const char *cgroup = info ? t->epoch->strings[info->cgroup].s : "";
	struct textbuf name = {.fd = -1};
	size_t start = t->texts.nr;

	for (enum cgroup_part part = 0; part < NR_CGROUP_PARTS; part++) {
		name.nr = 0;
		cgroup_part_put(cgroup, part, &name);
		textbuf_char(&t->texts, '\t');
		textbuf_escaped(&t->texts, name.data, name.nr, TEXT_FIELD);
	}
	textbuf_char(&t->texts, '\t');
	t->cgroup_parts[process] = end_text(t, start);
	textbuf_fail(&t->texts, name.error);
	textbuf_deinit(&name);
}

/* An object of JSON, {} without labels. Labels that found no room have the key [other]. */
static void make_labels(struct epoch_tables *t, uint32_t id)
{
	const struct prof_epoch *e = t->epoch;
	const struct prof_label_set *set = id ? &e->label_sets[id] : NULL;
	struct json json = {.out = &t->texts};
	size_t start = t->texts.nr;

	textbuf_char(&t->texts, '{');
	for (uint32_t i = 0; set && i < set->nr_labels; i++) {
		const struct prof_label *label = &e->labels[set->first_label + i];

		json_put_text(&json, NULL, e->strings[label->key].s);
		textbuf_char(&t->texts, ':');
		json.has_item = false;
		json_put_text(&json, NULL, e->strings[label->value].s);
	}
	if (set && !set->nr_labels)
		json_put_safe(&json, "[other]", "");
	textbuf_str(&t->texts, "}\n");
	t->labels[id] = end_text(t, start);
}

static void make_time(struct epoch_tables *t, uint32_t slice)
{
	const struct slice_time time =
		slice_time_make(t->to->meta, t->epoch, slice, t->to->slice_ns);
	size_t start = t->texts.nr;

	slice_time_put(&t->texts, time.begin_ms);
	textbuf_char(&t->texts, '\t');
	textbuf_u64(&t->texts, time.length_ms);
	textbuf_char(&t->texts, '\t');
	t->begins_ms[slice] = time.begin_ms;
	t->times[slice] = end_text(t, start);
}

static void make_recording(struct epoch_tables *t, uint32_t event)
{
	size_t start = t->texts.nr;

	textbuf_u64(&t->texts, recording_id(t->to->meta, event));
	textbuf_char(&t->texts, '\t');
	t->recordings[event] = end_text(t, start);
}

static int make_texts(struct epoch_tables *t, const struct prof_count *count)
{
	struct row_text *comm = &t->comms[count->comm];
	size_t start;

	if (!t->recordings[count->event].len)
		make_recording(t, count->event);
	if (!comm->len) {
		start = t->texts.nr;
		packed_rows_field(&t->texts, t->epoch->strings[count->comm].s);
		*comm = end_text(t, start);
	}
	if (!t->before[count->process].len) {
		make_before(t, count->process);
		make_after(t, count->process);
		make_cgroup_parts(t, count->process);
	}
	if (!t->labels[count->label_set].len)
		make_labels(t, count->label_set);
	return t->texts.error;
}

static int put_row(struct epoch_tables *t, const struct prof_count *count, uint32_t slice,
		   uint64_t nr)
{
	struct packed_rows *rows = &t->to->samples;

	put_text(t, &t->times[slice]);
	put_text(t, &t->recordings[count->event]);
	put_text(t, &t->before[count->process]);
	put_text(t, &t->comms[count->comm]);
	put_text(t, &t->after[count->process]);
	textbuf_u64(&rows->text, t->stack);
	textbuf_char(&rows->text, '\t');
	textbuf_bytes(&rows->text, end_texts[t->end].s, end_texts[t->end].len);
	textbuf_u64(&rows->text, nr);
	put_text(t, &t->cgroup_parts[count->process]);
	textbuf_u64(&rows->text, count->tid);
	textbuf_char(&rows->text, '\t');
	put_text(t, &t->labels[count->label_set]);
	return packed_rows_next(rows);
}

/* Puts a row for each stretch of time in which count @i counts. A stretch can have many slices. */
static int put_parts(struct epoch_tables *t, uint32_t i)
{
	const struct prof_epoch *epoch = t->epoch;
	uint64_t nr = 0;
	uint32_t slice = 0;
	int ret = 0;

	for (; t->next_part < epoch->nr_slices && !ret; t->next_part++) {
		const struct prof_slice *part = &epoch->slices[t->next_part];

		if (part->row != i)
			break;
		if (!t->times[part->slice].len)
			make_time(t, part->slice);
		if (nr && t->begins_ms[part->slice] != t->begins_ms[slice]) {
			ret = put_row(t, &epoch->counts[i], slice, nr);
			nr = 0;
		}
		slice = part->slice;
		nr += part->count;
	}
	return ret ? ret : put_row(t, &epoch->counts[i], slice, nr);
}

static int put_counts(struct epoch_tables *t)
{
	const struct prof_epoch *epoch = t->epoch;
	int ret = 0;

	if (!epoch->nr_slices)
		make_time(t, 0);
	for (uint32_t i = 0; i < epoch->nr_counts && !ret; i++) {
		const struct prof_count *count = &epoch->counts[i];

		ret = make_texts(t, count);
		if (!ret)
			ret = find_stack(t, count, i ? count - 1 : NULL);
		if (!ret)
			ret = epoch->nr_slices ? put_parts(t, i)
					       : put_row(t, count, 0, count->count);
		t->to->sums[count->event] += count->count;
	}
	return ret;
}

static size_t nr_slices_of(const struct prof_epoch *epoch)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < epoch->nr_slices; i++)
		if (epoch->slices[i].slice > last)
			last = epoch->slices[i].slice;
	return (size_t)last + 1;
}

/* The name in a pod comes before that of an engine, wherever they stand. */
static void note_names(struct epoch_tables *t, const struct prof_epoch *epoch)
{
	for (uint32_t i = 0; i < epoch->nr_process_attributes; i++) {
		const struct prof_process_attribute *row = &epoch->process_attributes[i];
		const struct prof_string *key = &epoch->strings[row->key];
		struct named_process *named = &t->named[row->process];
		enum prof_attribute attribute = prof_attribute_find(key->s, key->len);
		const char *value = epoch->strings[row->value].s;

		if (attribute == PROF_ATTRIBUTE_SERVICE)
			named->service = value;
		else if (attribute == PROF_ATTRIBUTE_K8S_CONTAINER ||
			 (attribute == PROF_ATTRIBUTE_CONTAINER && !named->container))
			named->container = value;
	}
}

static int init(struct epoch_tables *t, struct recording_tables *to, const struct prof_epoch *epoch)
{
	size_t nr_slices = nr_slices_of(epoch);

	*t = (struct epoch_tables){
		.to = to,
		.epoch = epoch,
		.side_ids = calloc(epoch->nr_stacks, sizeof(*t->side_ids)),
		.texts.fd = -1,
		.comms = calloc(epoch->nr_strings, sizeof(*t->comms)),
		.before = calloc(epoch->nr_processes, sizeof(*t->before)),
		.after = calloc(epoch->nr_processes, sizeof(*t->after)),
		.cgroup_parts = calloc(epoch->nr_processes, sizeof(*t->cgroup_parts)),
		.labels = calloc(epoch->nr_label_sets + 1, sizeof(*t->labels)),
		.times = calloc(nr_slices, sizeof(*t->times)),
		.begins_ms = calloc(nr_slices, sizeof(*t->begins_ms)),
		.infos = calloc(epoch->nr_processes, sizeof(*t->infos)),
		.named = calloc(epoch->nr_processes, sizeof(*t->named)),
	};
	if (!t->side_ids || !t->comms || !t->before || !t->after || !t->cgroup_parts ||
	    !t->labels || !t->times || !t->begins_ms || !t->infos || !t->named)
		return -ENOMEM;
	for (uint32_t i = 0; i < epoch->nr_process_infos; i++)
		t->infos[epoch->process_infos[i].process] = &epoch->process_infos[i];
	note_names(t, epoch);
	return epoch_frames_make(&t->frames, to, epoch);
}

static void deinit(struct epoch_tables *t)
{
	epoch_frames_deinit(&t->frames);
	free(t->side_ids);
	textbuf_deinit(&t->texts);
	free(t->comms);
	free(t->before);
	free(t->after);
	free(t->cgroup_parts);
	free(t->labels);
	free(t->times);
	free(t->begins_ms);
	free(t->infos);
	free(t->named);
}

int recording_tables_add(struct recording_tables *tables, const struct prof_epoch *epoch)
{
	struct epoch_tables t;
	int ret = init(&t, tables, epoch);

	if (!ret)
		ret = find_side_ids(&t);
	if (!ret)
		ret = put_counts(&t);
	if (epoch->end_ns > tables->end_ns)
		tables->end_ns = epoch->end_ns;
	deinit(&t);
	return ret;
}
