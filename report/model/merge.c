// SPDX-License-Identifier: GPL-2.0-or-later
/* Adds an epoch to a model. Each table's ids are translated, then its elements are added. */
#include "report/model/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/minmax.h"

/* The objects of a process may move this often. The last layout then stands for all later ones. */
#define LAYOUTS_MAX 64

/* The epoch that is being added, and its ids in the model. */
struct merge {
	struct model *model;
	const struct prof_epoch *epoch;
	uint32_t *strings, *objects, *processes, *frames, *stacks, *label_sets;
	/* Facts from other tables about each object and each frame. */
	const struct prof_mapping **places;
	const struct prof_file_info **files;
	bool *is_exact;
	u32_vec slots;       /* of its slices, or of itself */
	uint32_t next_slice; /* the first of the row that comes next */
};

static int merge_string(struct merge *m, uint32_t i)
{
	const struct prof_string *s = &m->epoch->strings[i];

	return string_set_add(&m->model->strings, s->s, s->len, &m->strings[i]);
}

/* Finds the mapping that places each object in the kernel; NULL for an object without one. */
static const struct prof_mapping **kernel_places(const struct prof_epoch *epoch)
{
	const struct prof_mapping **places = calloc(epoch->nr_objects + 1, sizeof(*places));
	const struct prof_process *kernel = epoch->processes;

	if (!places || !epoch->nr_processes)
		return places;
	for (uint32_t i = 0; i < kernel->nr_mappings; i++) {
		const struct prof_mapping *mapping = &epoch->mappings[kernel->first_mapping + i];

		if (!places[mapping->object])
			places[mapping->object] = mapping;
	}
	return places;
}

/* Finds the facts about each object's file; NULL for an object without any. */
static const struct prof_file_info **object_files(const struct prof_epoch *epoch)
{
	const struct prof_file_info **files = calloc(epoch->nr_objects + 1, sizeof(*files));

	for (uint32_t i = 0; files && i < epoch->nr_file_infos; i++)
		files[epoch->file_infos[i].object] = &epoch->file_infos[i];
	return files;
}

/*
 * Copies the members one by one. Keys are compared as bytes, and an assignment need not keep
 * padding.
 */
static void copy_file_info(struct prof_file_info *to, const struct prof_file_info *from)
{
	to->inode = from->inode;
	to->size = from->size;
	to->mtime_ns = from->mtime_ns;
	to->ctime_ns = from->ctime_ns;
}

/* Finds the frames that are exact. */
static bool *exact_frames(const struct prof_epoch *epoch)
{
	bool *is_exact = calloc((size_t)epoch->nr_frames + 1, sizeof(*is_exact));

	for (uint32_t i = 0; is_exact && i < epoch->nr_exact_frames; i++)
		is_exact[epoch->exact_frames[i]] = true;
	return is_exact;
}

static int merge_object(struct merge *m, uint32_t i)
{
	const struct prof_object *object = &m->epoch->objects[i];
	const struct prof_mapping *place = m->places[i];
	struct object_key key;
	int ret;

	memset(&key, 0, sizeof(key));
	key.kind = object->kind;
	key.path = m->strings[object->path];
	key.instance = object->instance;
	if (!object->build_id_size && object->kind != PROF_OBJECT_NONE)
		key.recording = model_recording(m->model);
	key.build_id.size = object->build_id_size;
	memcpy(key.build_id.bytes, object->build_id, object->build_id_size);
	if (m->files[i]) {
		key.has_file = true;
		copy_file_info(&key.file, m->files[i]);
	}
	if (object_kind_is_kernel(object->kind) && place &&
	    !(m->model->has_several && object->build_id_size)) {
		key.is_placed = true;
		key.bias = place->start - place->pgoff;
	}
	ret = model_add_object(m->model, &key, &m->objects[i]);
	if (!ret && object->flags & PROF_OBJECT_DELETED)
		m->model->objects.data[m->objects[i]].is_deleted = true;
	return ret;
}

static uint64_t mapping_bias(const struct prof_mapping *mapping)
{
	return mapping->start - mapping->pgoff;
}

/* Returns true if the model's process @id has no object of @process at another place. */
static bool is_layout_of(const struct merge *m, const struct prof_process *process, uint32_t id)
{
	for (uint32_t i = 0; i < process->nr_mappings; i++) {
		const struct prof_mapping *mapping =
			&m->epoch->mappings[process->first_mapping + i];
		const struct model_place *place =
			model_find_place(m->model, id, m->objects[mapping->object]);

		if (place && place->bias != mapping_bias(mapping))
			return false;
	}
	return true;
}

/* Returns a layout of the process @first: those before it have an object at another place. */
static uint32_t first_layout(const struct merge *m, const struct prof_process *process,
			     uint32_t first)
{
	uint32_t layout = 1;

	for (uint32_t i = 0; i < process->nr_mappings; i++) {
		const struct prof_mapping *mapping =
			&m->epoch->mappings[process->first_mapping + i];

		layout = max_u64(layout, layout_search_first(&m->model->layouts, first,
							     m->objects[mapping->object],
							     mapping_bias(mapping)));
	}
	return layout < LAYOUTS_MAX ? layout : LAYOUTS_MAX - 1;
}

/* Sets *@first to layout 0 of the process, and *@id to the layout that fits. */
static int find_or_add_process(struct merge *m, const struct prof_process *process, uint32_t *first,
			       uint32_t *id)
{
	int ret = model_add_process(m->model, process->pid, process->generation, 0, first);

	*id = *first;
	if (ret || is_layout_of(m, process, *first))
		return ret;
	for (uint32_t layout = first_layout(m, process, *first);; layout++) {
		ret = model_add_process(m->model, process->pid, process->generation, layout, id);
		if (ret || layout + 1 == LAYOUTS_MAX || is_layout_of(m, process, *id))
			return ret;
	}
}

/*
 * Adds the place of an object in the process @first, for that layout of it which place->process is.
 */
static int add_place(struct merge *m, const struct model_place *place, uint32_t first)
{
	struct model *model = m->model;
	int ret = 0;

	if (place->process != first && !model_find_place(model, place->process, place->object))
		ret = layout_search_add(&model->layouts, first, place->object, place->bias,
					model->processes.data[place->process].layout);
	return ret ? ret : model_add_place(model, place);
}

static int add_places(struct merge *m, const struct prof_process *process, uint32_t first,
		      uint32_t id)
{
	for (uint32_t i = 0; i < process->nr_mappings; i++) {
		const struct prof_mapping *mapping =
			&m->epoch->mappings[process->first_mapping + i];
		const struct model_place place = {
			.process = id,
			.object = m->objects[mapping->object],
			.bias = mapping_bias(mapping),
		};
		const struct model_mapping shown = {
			.process = id,
			.object = place.object,
			.pgoff = mapping->pgoff,
			.size = mapping->size,
		};
		int ret = add_place(m, &place, first);

		if (!ret)
			ret = model_add_mapping(m->model, &shown);
		if (ret)
			return ret;
	}
	return 0;
}

static int merge_process(struct merge *m, uint32_t i)
{
	const struct prof_process *process = &m->epoch->processes[i];
	uint32_t first;
	int ret;

	/* Process 0 is the kernel, whose mappings went into the objects. */
	if (i == 0) {
		m->processes[0] = 0;
		return 0;
	}
	ret = find_or_add_process(m, process, &first, &m->processes[i]);
	return ret ? ret : add_places(m, process, first, m->processes[i]);
}

static int merge_process_info(struct merge *m, uint32_t i)
{
	struct prof_process_info info = m->epoch->process_infos[i];

	info.name = m->strings[info.name];
	info.exe = m->strings[info.exe];
	info.cgroup = m->strings[info.cgroup];
	model_process_learn(&m->model->processes.data[m->processes[info.process]], &info);
	return 0;
}

static int merge_process_attribute(struct merge *m, uint32_t i)
{
	const struct prof_process_attribute *row = &m->epoch->process_attributes[i];
	const struct prof_string *key = &m->epoch->strings[row->key];
	enum prof_attribute attribute = prof_attribute_find(key->s, key->len);
	uint32_t attributes[PROF_NR_ATTRIBUTES] = {0};

	if (attribute == PROF_NR_ATTRIBUTES)
		return 0;
	attributes[attribute] = m->strings[row->value];
	model_process_learn_attributes(&m->model->processes.data[m->processes[row->process]],
				       attributes);
	return 0;
}

static int merge_frame(struct merge *m, uint32_t i)
{
	const struct model_frame frame = {
		.object = m->objects[m->epoch->frames[i].object],
		.offset = m->epoch->frames[i].offset,
		.is_exact = m->is_exact[i],
	};

	return model_add_frame(m->model, frame, &m->frames[i]);
}

static int merge_stack(struct merge *m, uint32_t i)
{
	const struct prof_stack *stack = &m->epoch->stacks[i];
	struct model *model = m->model;
	int ret = vec_reserve(&model->stack_frames, stack->nr_frames);

	if (ret)
		return ret;
	for (uint32_t f = 0; f < stack->nr_frames; f++)
		model->stack_frames.data[model->stack_frames.nr++] =
			m->frames[m->epoch->stack_frames[stack->first_frame + f]];
	return model_add_stack(model, stack->nr_frames, stack->end, &m->stacks[i]);
}

static int merge_label_set(struct merge *m, uint32_t i)
{
	const struct prof_label_set *set = &m->epoch->label_sets[i];
	struct model *model = m->model;
	int ret = i ? vec_reserve(&model->labels, set->nr_labels) : 0;

	if (ret || !i)
		return ret;
	for (uint32_t k = 0; k < set->nr_labels; k++) {
		const struct prof_label *label = &m->epoch->labels[set->first_label + k];

		model->labels.data[model->labels.nr++] = (struct prof_label){
			.key = m->strings[label->key], .value = m->strings[label->value]};
	}
	return model_add_label_set(model, set->nr_labels, &m->label_sets[i]);
}

/* Adds the count of the epoch's row @i to the slots, by slices if the epoch has them. */
static int add_slot_counts(struct merge *m, uint32_t i, uint32_t row)
{
	const struct prof_epoch *e = m->epoch;
	int ret = 0;

	if (!e->slice_ns)
		return model_add_slot_count(m->model, row, m->slots.data[0], e->counts[i].count);
	for (; !ret && m->next_slice < e->nr_slices && e->slices[m->next_slice].row == i;
	     m->next_slice++) {
		const struct prof_slice *part = &e->slices[m->next_slice];

		ret = model_add_slot_count(m->model, row, m->slots.data[part->slice], part->count);
	}
	return ret;
}

static bool has_trace(const struct prof_epoch *e, const struct prof_label_set *set)
{
	for (uint32_t i = 0; i < set->nr_labels; i++) {
		const struct prof_string *key = &e->strings[e->labels[set->first_label + i].key];

		if (key->len == strlen(PROF_LABEL_TRACE_ID) &&
		    !memcmp(key->s, PROF_LABEL_TRACE_ID, key->len))
			return true;
	}
	return false;
}

static int merge_count(struct merge *m, uint32_t i)
{
	const struct prof_count *count = &m->epoch->counts[i];
	const struct prof_count row = {
		.process = m->processes[count->process],
		.comm = m->strings[count->comm],
		.user_stack = m->stacks[count->user_stack],
		.kernel_stack = m->stacks[count->kernel_stack],
		.count = count->count,
		.event = count->event,
		.waker_user_stack = m->stacks[count->waker_user_stack],
		.waker_kernel_stack = m->stacks[count->waker_kernel_stack],
		.tid = m->model->keeps_tids ? count->tid : 0,
		.label_set = m->model->keeps_labels ? m->label_sets[count->label_set] : 0,
	};

	uint32_t id;
	int ret = model_add_row(m->model, &row, &id);

	if (count->label_set && m->epoch->label_sets[count->label_set].nr_labels) {
		m->model->labelled[count->event] += count->count;
		if (has_trace(m->epoch, &m->epoch->label_sets[count->label_set]))
			m->model->traced[count->event] += count->count;
	} else if (count->label_set) {
		m->model->beyond_labels[count->event] += count->count;
	}
	return ret || !m->model->keeps_slots ? ret : add_slot_counts(m, i, id);
}

static int merge_language(struct merge *m, uint32_t i)
{
	const struct prof_language *language = &m->epoch->languages[i];
	struct model_object *object = &m->model->objects.data[m->objects[language->object]];

	object->language_role = language->role;
	object->language = m->strings[language->name];
	object->version = m->strings[language->version];
	m->model->has_languages = true;
	return 0;
}

static int merge_symbol(struct merge *m, uint32_t i)
{
	struct prof_symbol symbol = m->epoch->symbols[i];

	symbol.object = m->objects[symbol.object];
	symbol.name = m->strings[symbol.name];
	return model_add_symbol(m->model, &symbol);
}

static int merge_line(struct merge *m, uint32_t i)
{
	const struct prof_line *line = &m->epoch->lines[i];
	struct model *model = m->model;
	int ret = vec_reserve(&model->source_frames, line->nr_frames);

	if (ret)
		return ret;
	for (uint32_t f = 0; f < line->nr_frames; f++) {
		struct prof_source_frame frame = m->epoch->source_frames[line->first_frame + f];

		frame.name = m->strings[frame.name];
		frame.file = m->strings[frame.file];
		model->source_frames.data[model->source_frames.nr++] = frame;
	}
	return model_add_line(model, m->objects[line->object], line->offset, line->nr_frames);
}

static int merge_name_source(struct merge *m, uint32_t i)
{
	struct prof_name_source source = m->epoch->name_sources[i];

	source.object = m->objects[source.object];
	source.file = m->strings[source.file];
	return model_add_name_source(m->model, &source);
}

static int merge_tables(struct merge *m)
{
	const struct prof_epoch *e = m->epoch;
	const struct {
		uint32_t nr;
		int (*merge_row)(struct merge *m, uint32_t i);
	} tables[] = {
		{e->nr_strings, merge_string},
		{e->nr_objects, merge_object},
		{e->nr_processes, merge_process},
		{e->nr_process_infos, merge_process_info},
		{e->nr_process_attributes, merge_process_attribute},
		{e->nr_frames, merge_frame},
		{e->nr_stacks, merge_stack},
		{e->nr_label_sets, merge_label_set},
		{e->nr_counts, merge_count},
		{e->nr_symbols, merge_symbol},
		{e->nr_languages, merge_language},
		{e->nr_lines, merge_line},
		{e->nr_name_sources, merge_name_source},
	};

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		for (uint32_t i = 0; i < tables[t].nr; i++) {
			int ret = tables[t].merge_row(m, i);

			if (ret)
				return ret;
		}
	}
	return 0;
}

static void note_epoch(struct model *model, const struct prof_epoch *epoch)
{
	model->nr_epochs++;
	model->nr_counts += epoch->nr_counts;
	model->nr_sliced_epochs += epoch->slice_ns != 0;
	model->nr_whole_epochs += !epoch->slice_ns && epoch->nr_counts;
	model->slice_ns = max_u64(model->slice_ns, epoch->slice_ns);
}

int model_add_epoch(struct model *model, const struct prof_epoch *epoch)
{
	size_t nr = (size_t)epoch->nr_strings + epoch->nr_objects + epoch->nr_processes +
		    epoch->nr_frames + epoch->nr_stacks + epoch->nr_label_sets;
	_cleanup_free_ uint32_t *ids = calloc(nr + 1, sizeof(*ids));
	_cleanup_free_ const struct prof_mapping **places = kernel_places(epoch);
	_cleanup_free_ const struct prof_file_info **files = object_files(epoch);
	_cleanup_free_ bool *is_exact = exact_frames(epoch);
	struct merge m = {
		.model = model,
		.epoch = epoch,
		.strings = ids,
		.places = places,
		.files = files,
		.is_exact = is_exact,
	};
	int ret;

	if (!ids || !places || !files || !is_exact)
		return -ENOMEM;
	m.objects = m.strings + epoch->nr_strings;
	m.processes = m.objects + epoch->nr_objects;
	m.frames = m.processes + epoch->nr_processes;
	m.stacks = m.frames + epoch->nr_frames;
	m.label_sets = m.stacks + epoch->nr_stacks; /* set 0 is there also where there are none */
	ret = slots_add(model, epoch, &m.slots);
	if (!ret)
		ret = merge_tables(&m);
	vec_free(&m.slots);
	if (!ret)
		note_epoch(model, epoch);
	return ret;
}
