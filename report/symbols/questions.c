// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/questions.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "report/model/row_changes.h"

/*
 * Counts the questions about each object, whose frames and places stacks use, and turns the counts
 * into the positions of their first questions. Returns the number of questions.
 */
static size_t place_questions(const struct model *model, const bool *used, size_t *positions)
{
	size_t sum = 0;

	for (size_t slot = 0; slot < model->frames.nr * NR_FRAME_PLACES; slot++)
		positions[model->frames.data[slot / NR_FRAME_PLACES].object] += used[slot];
	for (size_t i = 0; i < model->objects.nr; i++) {
		size_t nr = positions[i];

		positions[i] = sum;
		sum += nr;
	}
	return sum;
}

/* Notes in @used the frames and places that the stacks of rows have. Returns 0 or -ENOMEM. */
static int find_used(const struct model *model, bool *used)
{
	_cleanup_free_ bool *has_row = calloc(model->stacks.nr, sizeof(*has_row));

	if (!has_row)
		return -ENOMEM;
	model_find_used_stacks(model, NULL, has_row);
	for (size_t id = 0; id < model->stacks.nr; id++) {
		const struct model_stack *stack = &model->stacks.data[id];

		for (uint32_t i = 0; has_row[id] && i < stack->nr_frames; i++)
			used[model->stack_frames.data[stack->first_frame + i] * NR_FRAME_PLACES +
			     (i ? FRAME_CALLER : FRAME_LEAF)] = true;
	}
	return 0;
}

int questions_gather(const struct model *model, struct question **questions, size_t *nr_questions)
{
	size_t nr = model->frames.nr * NR_FRAME_PLACES;
	_cleanup_free_ bool *used = calloc(nr + 1, sizeof(*used));
	_cleanup_free_ size_t *positions = calloc(model->objects.nr + 1, sizeof(*positions));
	struct question *new;
	size_t sum;

	if (!used || !positions || find_used(model, used))
		return -ENOMEM;
	sum = place_questions(model, used, positions);
	new = calloc(sum + 1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	for (size_t slot = 0; slot < nr; slot++) {
		const struct model_frame *frame = &model->frames.data[slot / NR_FRAME_PLACES];

		if (used[slot])
			new[positions[frame->object]++] = (struct question){
				.object = frame->object,
				.slot = slot,
				.off = frame->offset -
				       question_bytes_before(frame, slot % NR_FRAME_PLACES),
			};
	}
	*questions = new;
	*nr_questions = sum;
	return 0;
}
