// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/hit_addresses.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/search.h"
#include "elf/elffile.h"
#include "report/model/model.h"
#include "report/symbols/kernel_layout.h"

/*
 * Turns file offsets into addresses if profrep has only the debug file of a binary. The mapping of
 * a process shows the place of the binary's segments in the file. profrep uses it for the frames of
 * that process alone. If processes that share a frame contradict each other, the frame stays
 * unknown.
 */

/* The distance from the file offset of a frame to its linked address. */
struct debug_distance {
	uint32_t frame;    /* in the model */
	uint64_t distance; /* address - offset, modulo 2^64 */
	bool is_known;
	bool is_contradicted;
};

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

/*
 * Finds the distances of @nr frames of @object, sorted by frame, by the segments of @debug. The
 * work is charged to @budget (NULL: none). After @budget is spent, the frames stay unknown.
 */
static void debug_distances_find(const struct model *model, uint32_t object,
				 const struct elf_file *debug, struct file_budget *budget,
				 struct debug_distance *distances, size_t nr)
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

/* By the program headers of @file. */
static void hits_to_vaddrs(const struct question *questions, const struct elf_file *file,
			   range_hit_vec *hits)
{
	size_t kept = 0;

	vec_for_each(hits, hit)
		if (elf_file_vaddr(file, questions[hit->tag].off, &hit->addr))
			hits->data[kept++] = *hit;
	hits->nr = kept;
}

/*
 * Lists the frames of the hits, which are sorted by slot. A frame with both places is listed once.
 * Returns the number of frames.
 */
static size_t list_frames(const struct question *questions, const range_hit_vec *hits,
			  struct debug_distance *distances)
{
	size_t nr = 0;

	vec_for_each(hits, hit) {
		uint32_t frame = questions[hit->tag].slot / NR_FRAME_PLACES;

		if (!nr || distances[nr - 1].frame != frame)
			distances[nr++] = (struct debug_distance){.frame = frame};
	}
	return nr;
}

/* By the mappings of the processes: the offsets of segments in @debug mean nothing. */
static int hits_to_vaddrs_mapped(const struct model *model, uint32_t object,
				 const struct question *questions, const struct elf_file *debug,
				 struct file_budget *budget, range_hit_vec *hits)
{
	_cleanup_free_ struct debug_distance *distances = calloc(hits->nr + 1, sizeof(*distances));
	const struct debug_distance *d = distances;
	size_t kept = 0;

	if (!distances)
		return -ENOMEM;
	debug_distances_find(model, object, debug, budget, distances,
			     list_frames(questions, hits, distances));
	vec_for_each(hits, hit) {
		const struct question *q = &questions[hit->tag];

		if (d->frame != q->slot / NR_FRAME_PLACES)
			d++;
		hit->addr = q->off + d->distance;
		if (d->is_known)
			hits->data[kept++] = *hit;
	}
	hits->nr = kept;
	return 0;
}

/* By the place of the first byte in the files of the kernel. */
static void hits_to_kernel(const struct question *questions, const struct kernel_layout *layout,
			   range_hit_vec *hits)
{
	size_t kept = 0;

	vec_for_each(hits, hit) {
		uint64_t off = questions[hit->tag].off;

		hit->addr = layout->start + off;
		if (off < layout->size)
			hits->data[kept++] = *hit;
	}
	hits->nr = kept;
}

int hits_to_addresses(const struct model *model, uint32_t object, const struct question *questions,
		      struct elf_pair *elf, struct file_budget *budget, range_hit_vec *hits)
{
	struct kernel_layout layout = {0};
	int ret = 0;

	if (object_kind_is_kernel(model->objects.data[object].key.kind)) {
		ret = kernel_layout_find(elf, model, object, &layout);
		hits_to_kernel(questions, &layout, hits);
	} else if (!elf->has_binary && elf_file_is_debug_only(&elf->debug)) {
		ret = hits_to_vaddrs_mapped(model, object, questions, &elf->debug, budget, hits);
	} else {
		hits_to_vaddrs(questions, elf->has_binary ? &elf->binary : &elf->debug, hits);
	}
	range_hits_sort(hits->data, hits->nr);
	return ret;
}
