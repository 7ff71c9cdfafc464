// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/debug_distances.h"

#include "common/search.h"

static struct debug_distance *find_frame(struct debug_distance *distances, size_t nr,
					 uint32_t frame)
{
	size_t at = search_first(nr, i, distances[i].frame >= frame);

	return at < nr && distances[at].frame == frame ? &distances[at] : NULL;
}

/* Takes the distance that the mapping of @process gives for the frame. */
static void note_distance(const struct model *model, const struct elf_file *debug, uint32_t process,
			  struct debug_distance *d)
{
	const struct model_frame *frame = &model->frames.data[d->frame];
	const struct model_mapping *m =
		model_find_mapping(model, process, frame->object, frame->offset);
	uint64_t vaddr, distance;

	if (d->is_contradicted)
		return;
	if (!m || !elf_file_vaddr_mapped(debug, frame->offset, m->pgoff, m->size, &vaddr)) {
		d->is_contradicted = true;
		return;
	}
	distance = vaddr - frame->offset;
	d->is_contradicted = d->is_known && d->distance != distance;
	d->is_known = true;
	d->distance = distance;
}

void debug_distances_find(const struct model *model, uint32_t object, const struct elf_file *debug,
			  struct file_budget *budget, struct debug_distance *distances, size_t nr)
{
	vec_for_each(&model->rows, row) {
		const struct model_stack *stack = &model->stacks.data[row->user_stack];
		const uint32_t *frames = model->stack_frames.data + stack->first_frame;

		if (!file_budget_charge(budget, stack->nr_frames * sizeof(*frames)))
			break;
		for (uint32_t i = 0; i < stack->nr_frames; i++) {
			struct debug_distance *d = NULL;

			if (model->frames.data[frames[i]].object == object)
				d = find_frame(distances, nr, frames[i]);
			if (d)
				note_distance(model, debug, row->process, d);
		}
	}
	for (size_t i = 0; i < nr; i++)
		distances[i].is_known &=
			!distances[i].is_contradicted && !(budget && budget->is_spent);
}
