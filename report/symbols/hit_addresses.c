// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/hit_addresses.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "report/symbols/debug_distances.h"
#include "report/symbols/kernel_layout.h"

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
