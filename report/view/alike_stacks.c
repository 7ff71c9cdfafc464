// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/alike_stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

int alike_stacks_init(struct alike_stacks *alike, const struct model *model,
		      const struct symbols *symbols, const struct view *view)
{
	*alike = (struct alike_stacks){
		.model = model,
		.symbols = symbols,
		.view = view,
		.of_object = calloc(model->objects.nr, sizeof(*alike->of_object)),
		.of_stack = calloc(model->stacks.nr, sizeof(*alike->of_stack)),
	};
	if (alike->of_object && alike->of_stack && !string_set_init(&alike->modules))
		return 0;
	alike_stacks_deinit(alike);
	return -ENOMEM;
}

void alike_stacks_deinit(struct alike_stacks *alike)
{
	string_set_deinit(&alike->modules);
	vec_free(&alike->frames);
	vec_free(&alike->stacks);
	vec_free(&alike->stack_frames);
	index_deinit(&alike->frame_index);
	index_deinit(&alike->stack_index);
	free(alike->of_object);
	free(alike->of_stack);
	*alike = (struct alike_stacks){0};
}

/* Folded output has no addresses. */
static bool shows_addresses(const struct view *view)
{
	return view->addresses && !view->folded;
}

/* Sets *@module to the number of the text that labels.c makes of @object's module. */
static int find_module(struct alike_stacks *alike, uint32_t object, uint32_t *module)
{
	uint32_t *known = &alike->of_object[object];

	if (!*known) {
		const char *base = model_object_base(alike->model, object);
		int ret = string_set_add(&alike->modules, base, strlen(base), module);

		if (ret)
			return ret;
		*known = *module + 1;
	}
	*module = *known - 1;
	return 0;
}

/* Describes a frame as labels.c prints it. */
static int describe_frame(struct alike_stacks *alike, uint32_t process, uint32_t frame,
			  enum frame_place place, struct alike_frame *shown)
{
	const struct resolved *resolved = symbols_frame(alike->symbols, frame, place);
	const struct model_frame *f = &alike->model->frames.data[frame];
	const struct view *view = alike->view;
	enum unnamed unnamed = resolved->name ? UNNAMED_UNKNOWN : view_unnamed(view);

	uint64_t addr;

	*shown = (struct alike_frame){.name = resolved->name};
	shown->has_start = unnamed == UNNAMED_FUNCTION && resolved->is_bounded &&
			   model_object_base(alike->model, f->object)[0];
	if (shown->has_start)
		shown->start = f->offset - resolved->off;
	if (view->offsets && (resolved->name || shown->has_start))
		shown->off = resolved->off;
	if (shows_addresses(view) && model_address(alike->model, process, frame, &addr)) {
		shown->has_addr = true;
		shown->addr = addr;
	}
	if (!view->modules && !shown->has_start && unnamed != UNNAMED_MODULE)
		return 0;
	return find_module(alike, f->object, &shown->module);
}

static int find_frame(struct alike_stacks *alike, const struct alike_frame *frame, uint32_t *number)
{
	uint64_t hash = hash_bytes(frame, sizeof(*frame), 0);

	index_for_each(&alike->frame_index, hash, i) {
		if (!memcmp(&alike->frames.data[i], frame, sizeof(*frame))) {
			*number = i;
			return 0;
		}
	}
	if (alike->frames.nr >= INDEX_NONE)
		return -EOVERFLOW;
	*number = alike->frames.nr;
	return index_push(&alike->frame_index, &alike->frames, hash, *frame);
}

/* Appends the frames of @stack to stack_frames. */
static int push_frames(struct alike_stacks *alike, uint32_t process,
		       const struct model_stack *stack)
{
	for (uint32_t i = 0; i < stack->nr_frames; i++) {
		uint32_t frame = alike->model->stack_frames.data[stack->first_frame + i];
		struct alike_frame shown;
		uint32_t number;
		int ret = describe_frame(alike, process, frame, i ? FRAME_CALLER : FRAME_LEAF,
					 &shown);

		if (!ret)
			ret = find_frame(alike, &shown, &number);
		if (!ret)
			ret = vec_push(&alike->stack_frames, number);
		if (ret)
			return ret;
	}
	return 0;
}

/* Finds @stack, whose frames are the last of stack_frames, or adds it. */
static int find_stack(struct alike_stacks *alike, const struct alike_stack *stack, uint32_t *number)
{
	size_t bytes = stack->nr_frames * sizeof(*alike->stack_frames.data);
	const uint32_t *frames = bytes ? alike->stack_frames.data + stack->first_frame : NULL;
	uint64_t hash = hash_bytes(frames, bytes, stack->is_missed);

	index_for_each(&alike->stack_index, hash, i) {
		const struct alike_stack *have = &alike->stacks.data[i];

		if (have->nr_frames != stack->nr_frames || have->is_missed != stack->is_missed ||
		    (bytes &&
		     memcmp(alike->stack_frames.data + have->first_frame, frames, bytes) != 0))
			continue;
		alike->stack_frames.nr = stack->first_frame;
		*number = i;
		return 0;
	}
	if (alike->stacks.nr >= INDEX_NONE)
		return -EOVERFLOW;
	*number = alike->stacks.nr;
	return index_push(&alike->stack_index, &alike->stacks, hash, *stack);
}

int alike_stacks_find(struct alike_stacks *alike, uint32_t process, uint32_t stack,
		      uint32_t *number)
{
	const struct model_stack *model_stack = &alike->model->stacks.data[stack];
	const struct alike_stack wanted = {
		.first_frame = alike->stack_frames.nr,
		.nr_frames = model_stack->nr_frames,
		.is_missed = stack_end_is_missed(model_stack->end),
	};
	int ret;

	/* Addresses depend on the process as well. */
	if (alike->of_stack[stack] && !shows_addresses(alike->view)) {
		*number = alike->of_stack[stack] - 1;
		return 0;
	}
	ret = push_frames(alike, process, model_stack);
	if (!ret)
		ret = find_stack(alike, &wanted, number);
	if (!ret)
		alike->of_stack[stack] = *number + 1;
	return ret;
}
