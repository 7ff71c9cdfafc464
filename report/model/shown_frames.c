// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/shown_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/model/row_changes.h"

const char *const shown_frames_words[] = {
	[FRAMES_AUTO] = "auto",
	[FRAMES_MIXED] = "mixed",
	[FRAMES_NATIVE] = "native",
	[FRAMES_LANGUAGE] = "language",
	NULL,
};

static bool is_interpreter(const struct model *model, uint32_t frame)
{
	return model_object_is_interpreter(model, model->frames.data[frame].object);
}

/* Returns the number of frames up to the outermost function of a language; 0: there is none. */
static uint32_t nr_inner_frames(const struct model *model, const uint32_t *frames, uint32_t nr)
{
	while (nr && !model_frame_is_source(model, frames[nr - 1]))
		nr--;
	return nr;
}

bool shown_frames_are_of_language(const struct model *model, uint32_t event)
{
	uint64_t of_language = 0, all = 0;

	if (!model->has_languages)
		return false;
	vec_for_each(&model->rows, row) {
		const struct model_stack *stack = &model->stacks.data[row->user_stack];

		if (row->event != event)
			continue;
		all += row->count;
		if (nr_inner_frames(model, model->stack_frames.data + stack->first_frame,
				    stack->nr_frames))
			of_language += row->count;
	}
	return of_language > all / 2;
}

/*
 * Copies the wanted ones of @frames, leaf first, to the end of the model's frames. A native frame
 * must not become a leaf, because its name would be looked up at another address. So the native
 * leaf stays if a native frame would follow.
 */
static uint32_t copy_wanted(struct model *model, const uint32_t *frames, uint32_t nr,
			    enum shown_frames shown)
{
	uint32_t *out = model->stack_frames.data + model->stack_frames.nr, kept = 0;
	uint32_t inner = shown == FRAMES_LANGUAGE ? nr_inner_frames(model, frames, nr) : 0;

	for (uint32_t i = 0; i < (inner ? inner : nr); i++) {
		bool is_source = model_frame_is_source(model, frames[i]);

		if (shown == FRAMES_NATIVE ? is_source : inner && is_interpreter(model, frames[i]))
			continue;
		if (!kept && i && !is_source && !model_frame_is_source(model, frames[0]))
			out[kept++] = frames[0];
		out[kept++] = frames[i];
	}
	model->stack_frames.nr += kept;
	return kept;
}

/* Makes the stacks anew. Notes in @ids the new number of each. */
static int filter_stacks(struct model *model, enum shown_frames shown, uint32_t *ids)
{
	__auto_type stacks = model->stacks;
	__auto_type stack_frames = model->stack_frames;
	int ret;

	model->stacks = (__typeof__(stacks)){0};
	model->stack_frames = (__typeof__(stack_frames)){0};
	index_clear(&model->stack_index);
	/* The new frames are no more than the old ones, and a stack is searched at their end. */
	ret = vec_reserve(&model->stack_frames, stack_frames.nr + 1);
	for (size_t i = 0; !ret && i < stacks.nr; i++) {
		const struct model_stack *stack = &stacks.data[i];
		uint32_t nr = copy_wanted(model, stack_frames.data + stack->first_frame,
					  stack->nr_frames, shown);

		ret = model_add_stack(model, nr, stack->end, &ids[i]);
	}
	vec_free(&stacks);
	vec_free(&stack_frames);
	return ret;
}

int shown_frames_choose(struct model *model, enum shown_frames shown)
{
	_cleanup_free_ uint32_t *ids = NULL;
	int ret;

	if (shown == FRAMES_AUTO || shown == FRAMES_MIXED || !model->has_languages)
		return 0;
	ids = calloc(model->stacks.nr, sizeof(*ids));
	ret = ids ? filter_stacks(model, shown, ids) : -ENOMEM;
	return ret ? ret : model_change_rows(model, NULL, ids);
}
