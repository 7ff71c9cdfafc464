// SPDX-License-Identifier: GPL-2.0-or-later
/* Adds an epoch to a model. Each table's ids are translated, then its elements are added. */
#include "report/model/model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* The objects of a process may move this often. The last layout then stands for all later ones. */
#define LAYOUTS_MAX 64

/* The epoch that is being added, and its ids in the model. */
struct merge {
	struct model *model;
	const struct prof_epoch *epoch;
	uint32_t *strings, *objects, *processes, *frames, *stacks;
};

static int merge_strings(struct merge *m)
{
	for (uint32_t i = 0; i < m->epoch->nr_strings; i++) {
		const struct prof_string *s = &m->epoch->strings[i];
		int ret = string_set_add(&m->model->strings, s->s, s->len, &m->strings[i]);

		if (ret)
			return ret;
	}
	return 0;
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

static int merge_objects(struct merge *m)
{
	const struct prof_epoch *epoch = m->epoch;
	_cleanup_free_ const struct prof_mapping **places = kernel_places(epoch);
	_cleanup_free_ const struct prof_file_info **files = object_files(epoch);

	if (!places || !files)
		return -ENOMEM;
	for (uint32_t i = 0; i < epoch->nr_objects; i++) {
		const struct prof_object *object = &epoch->objects[i];
		struct object_key key;
		int ret;

		memset(&key, 0, sizeof(key));
		key.kind = object->kind;
		key.path = m->strings[object->path];
		key.instance = object->instance;
		key.build_id.size = object->build_id_size;
		memcpy(key.build_id.bytes, object->build_id, object->build_id_size);
		if (files[i] && !object->build_id_size) {
			key.has_file = true;
			copy_file_info(&key.file, files[i]);
		}
		if (object_kind_is_kernel(object->kind) && places[i]) {
			key.is_placed = true;
			key.bias = places[i]->start - places[i]->pgoff;
		}
		ret = model_add_object(m->model, &key, &m->objects[i]);
		if (ret)
			return ret;
		if (object->flags & PROF_OBJECT_DELETED)
			m->model->objects.data[m->objects[i]].is_deleted = true;
	}
	return 0;
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

static int find_or_add_process(struct merge *m, const struct prof_process *process, uint32_t *id)
{
	uint32_t first = 0;

	for (uint32_t layout = 0;; layout++) {
		int ret =
			model_add_process(m->model, process->pid, process->generation, layout, id);

		if (!ret && layout)
			m->model->processes.data[first].has_layouts = true;
		else if (!ret)
			first = *id;
		if (ret || layout + 1 == LAYOUTS_MAX || is_layout_of(m, process, *id))
			return ret;
	}
}

static int add_places(struct merge *m, const struct prof_process *process, uint32_t id)
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
		int ret = model_add_place(m->model, &place);

		if (!ret)
			ret = model_add_mapping(m->model, &shown);
		if (ret)
			return ret;
	}
	return 0;
}

static int merge_processes(struct merge *m)
{
	for (uint32_t i = 0; i < m->epoch->nr_processes; i++) {
		const struct prof_process *process = &m->epoch->processes[i];
		int ret;

		/* Process 0 is the kernel, whose mappings went into the objects. */
		if (i == 0) {
			m->processes[0] = 0;
			continue;
		}
		ret = find_or_add_process(m, process, &m->processes[i]);
		if (!ret)
			ret = add_places(m, process, m->processes[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static int merge_process_infos(struct merge *m)
{
	for (uint32_t i = 0; i < m->epoch->nr_process_infos; i++) {
		struct prof_process_info info = m->epoch->process_infos[i];

		info.name = m->strings[info.name];
		info.exe = m->strings[info.exe];
		info.cgroup = m->strings[info.cgroup];
		model_process_learn(&m->model->processes.data[m->processes[info.process]], &info);
	}
	return 0;
}

static int merge_frames(struct merge *m)
{
	_cleanup_free_ bool *exact = calloc((size_t)m->epoch->nr_frames + 1, sizeof(*exact));

	if (!exact)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->epoch->nr_exact_frames; i++)
		exact[m->epoch->exact_frames[i]] = true;
	for (uint32_t i = 0; i < m->epoch->nr_frames; i++) {
		const struct prof_frame *frame = &m->epoch->frames[i];
		int ret = model_add_frame(m->model,
					  (struct model_frame){.object = m->objects[frame->object],
							       .offset = frame->offset,
							       .is_exact = exact[i]},
					  &m->frames[i]);

		if (ret)
			return ret;
	}
	return 0;
}

static int merge_stacks(struct merge *m)
{
	struct model *model = m->model;

	for (uint32_t i = 0; i < m->epoch->nr_stacks; i++) {
		const struct prof_stack *stack = &m->epoch->stacks[i];
		int ret = vec_reserve(&model->stack_frames, stack->nr_frames);

		if (ret)
			return ret;
		for (uint32_t f = 0; f < stack->nr_frames; f++)
			model->stack_frames.data[model->stack_frames.nr++] =
				m->frames[m->epoch->stack_frames[stack->first_frame + f]];
		ret = model_add_stack(model, stack->nr_frames, stack->end, &m->stacks[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static int merge_counts(struct merge *m)
{
	for (uint32_t i = 0; i < m->epoch->nr_counts; i++) {
		const struct prof_count *count = &m->epoch->counts[i];
		const struct model_row row = {
			.process = m->processes[count->process],
			.comm = m->strings[count->comm],
			.user_stack = m->stacks[count->user_stack],
			.kernel_stack = m->stacks[count->kernel_stack],
			.count = count->count,
			.event = count->event,
			.waker_user_stack = m->stacks[count->waker_user_stack],
			.waker_kernel_stack = m->stacks[count->waker_kernel_stack],
		};
		int ret = model_add_row(m->model, &row);

		if (ret)
			return ret;
	}
	return 0;
}

static int merge_symbols(struct merge *m)
{
	for (uint32_t i = 0; i < m->epoch->nr_symbols; i++) {
		struct prof_symbol symbol = m->epoch->symbols[i];
		int ret;

		symbol.object = m->objects[symbol.object];
		symbol.name = m->strings[symbol.name];
		ret = model_add_symbol(m->model, &symbol);
		if (ret)
			return ret;
	}
	return 0;
}

int model_add_epoch(struct model *model, const struct prof_epoch *epoch)
{
	size_t nr = (size_t)epoch->nr_strings + epoch->nr_objects + epoch->nr_processes +
		    epoch->nr_frames + epoch->nr_stacks;
	_cleanup_free_ uint32_t *ids = calloc(nr + 1, sizeof(*ids));
	struct merge m = {.model = model, .epoch = epoch, .strings = ids};
	int (*const steps[])(struct merge *) = {
		merge_strings, merge_objects, merge_processes, merge_process_infos,
		merge_frames,  merge_stacks,  merge_counts,    merge_symbols,
	};

	if (!ids)
		return -ENOMEM;
	m.objects = m.strings + epoch->nr_strings;
	m.processes = m.objects + epoch->nr_objects;
	m.frames = m.processes + epoch->nr_processes;
	m.stacks = m.frames + epoch->nr_frames;
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		int ret = steps[i](&m);

		if (ret)
			return ret;
	}
	model->nr_epochs++;
	return 0;
}
