// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/info_numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/minmax.h"
#include "report/model/shown_frames.h"

/* The sides of a stack, and those of its waker. */
struct whole_stack {
	uint32_t sides[4];
};

static struct whole_stack whole_stack_of(const struct prof_count *row)
{
	return (struct whole_stack){{row->user_stack, row->kernel_stack, row->waker_user_stack,
				     row->waker_kernel_stack}};
}

static int compare_stacks(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct whole_stack));
}

static bool is_cut(const struct model *model, const struct whole_stack *stack)
{
	for (size_t i = 0; i < ARRAY_SIZE(stack->sides); i++)
		if (model->stacks.data[stack->sides[i]].end == PROF_STACK_CUT)
			return true;
	return false;
}

int stack_numbers_count(const struct model *model, struct stack_numbers *numbers)
{
	_cleanup_free_ struct whole_stack *stacks = calloc(model->rows.nr + 1, sizeof(*stacks));
	size_t nr = 0;

	if (!stacks)
		return -ENOMEM;
	*numbers = (struct stack_numbers){0};
	vec_for_each(&model->rows, row) {
		stacks[nr] = whole_stack_of(row);
		numbers->cut_samples += is_cut(model, &stacks[nr++]) ? row->count : 0;
	}
	qsort(stacks, nr, sizeof(*stacks), compare_stacks);
	for (size_t i = 0; i < nr; i++) {
		if (i && !compare_stacks(&stacks[i], &stacks[i - 1]))
			continue;
		numbers->distinct++;
		numbers->cut += is_cut(model, &stacks[i]);
	}
	return 0;
}

int nr_processes_count(const struct model *model, uint64_t *nr)
{
	_cleanup_free_ bool *seen = calloc(model->processes.nr, sizeof(*seen));

	if (!seen)
		return -ENOMEM;
	vec_for_each(&model->rows, row)
		seen[row->process] = true;
	*nr = 0;
	for (size_t i = 0; i < model->processes.nr; i++)
		*nr += seen[i] && !model->processes.data[i].layout;
	return 0;
}

struct end_numbers end_numbers_count(const struct model *model, uint32_t event)
{
	struct end_numbers numbers = {0};

	vec_for_each(&model->rows, row) {
		const struct model_stack *stack = &model->stacks.data[row->user_stack];

		if (row->event != event || !stack->nr_frames)
			continue;
		numbers.by_end[stack->end] += row->count;
		numbers.all += row->count;
	}
	return numbers;
}

/* What a process that runs programs has: kernel threads have no executable, and no user stack. */
struct lack_numbers lack_numbers_count(const struct model *model, uint32_t event)
{
	struct lack_numbers numbers = {0};

	vec_for_each(&model->rows, row) {
		const struct prof_process_info *info = &model->processes.data[row->process].info;

		if (row->event != event || !model->processes.data[row->process].pid)
			continue;
		numbers.user += info->uid == PROF_UID_UNKNOWN ? row->count : 0;
		numbers.exe += row->user_stack && !info->exe ? row->count : 0;
		numbers.cgroup += info->cgroup ? 0 : row->count;
	}
	return numbers;
}

/* What a stack has of a language, one bit each. */
enum stack_parts {
	HAS_FUNCTIONS = 1,
	HAS_DISPLACED = 2, /* functions without a place between the native frames */
	HAS_UNREAD = 4,    /* functions that could not be read */
};

/* Adds what @frame says to @parts. A note is in a source without a path. */
static uint8_t frame_parts(const struct model *model, uint32_t frame)
{
	const struct model_frame *f = &model->frames.data[frame];

	if (!model_frame_is_source(model, frame))
		return 0;
	if (model->objects.data[f->object].key.path)
		return HAS_FUNCTIONS;
	switch (f->offset) {
	case PROF_SOURCE_NOTE(PROF_NOTE_DISPLACED):
		return HAS_DISPLACED;
	case PROF_SOURCE_NOTE(PROF_NOTE_UNREADABLE):
		return HAS_UNREAD;
	default:
		return HAS_FUNCTIONS;
	}
}

static uint8_t stack_parts(const struct model *model, uint32_t id)
{
	const struct model_stack *stack = &model->stacks.data[id];
	uint8_t parts = 0;

	for (uint32_t i = 0; i < stack->nr_frames; i++)
		parts |= frame_parts(model, model->stack_frames.data[stack->first_frame + i]);
	return parts;
}

int language_numbers_count(const struct recording *rec, struct language_numbers *numbers)
{
	const struct model *model = &rec->model;
	_cleanup_free_ uint8_t *parts = calloc(model->stacks.nr + 1, sizeof(*parts));

	if (!parts)
		return -ENOMEM;
	memset(numbers, 0, nr_event_sums(rec->meta) * sizeof(*numbers));
	for (size_t i = 0; i < model->stacks.nr; i++)
		parts[i] = stack_parts(model, i);
	vec_for_each(&model->rows, row) {
		struct language_numbers *of = &numbers[row->event];
		uint8_t has = parts[row->user_stack];

		of->with += has & HAS_FUNCTIONS ? row->count : 0;
		of->displaced += has & HAS_DISPLACED ? row->count : 0;
		of->unread += has & HAS_UNREAD ? row->count : 0;
	}
	return 0;
}

static const char *runtime_in(const struct model *model, const struct model_object *object)
{
	bool is_one = object->language && object->language_role == PROF_LANGUAGE_UNSUPPORTED;

	return is_one ? string_set_get(&model->strings, object->version) : NULL;
}

int runtimes_stacks_count(const struct model *model, uint32_t event, struct runtimes_stacks *sums)
{
	_cleanup_free_ const char **runtimes = calloc(model->processes.nr, sizeof(*runtimes));

	if (!runtimes)
		return -ENOMEM;
	*sums = (struct runtimes_stacks){0};
	for (size_t i = 0; i < model->processes.nr; i++)
		runtimes[i] = runtime_of_executable(
			string_set_get(&model->strings, model->processes.data[i].info.exe));
	vec_for_each(&model->places, place) {
		const char *runtime = runtime_in(model, &model->objects.data[place->object]);

		if (runtime)
			runtimes[place->process] = runtime;
	}
	vec_for_each(&model->rows, row) {
		const struct model_stack *stack = &model->stacks.data[row->user_stack];

		if (row->event == event && stack->nr_frames && runtimes[row->process])
			runtimes_stacks_add(sums, runtimes[row->process], stack->end, row->count);
	}
	return 0;
}

int distinct_label_keys(const struct model *model, u32_vec *keys)
{
	_cleanup_free_ bool *is_seen = NULL;
	uint32_t max = 0;
	int ret = 0;

	vec_for_each(&model->labels, label)
		max = max_u64(max, label->key);
	/* A recording may have as many keys as labels. */
	is_seen = calloc((size_t)max + 1, sizeof(*is_seen));
	if (!is_seen)
		return -ENOMEM;
	for (size_t i = 0; i < model->labels.nr && !ret; i++) {
		uint32_t key = model->labels.data[i].key;

		if (!is_seen[key])
			ret = vec_push(keys, key);
		is_seen[key] = true;
	}
	return ret;
}
