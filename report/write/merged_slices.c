// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/write/merged_slices.h"

#include <errno.h>
#include <stdlib.h>

#include "common/compare.h"
#include "common/minmax.h"

/*
 * The longest slot gives the length of all slices: shorter ones would put what a slot counts at a
 * moment of it.
 */
static uint64_t choose_length(const struct model *model, uint64_t length_ns)
{
	uint64_t slice_ns = length_ns / (PROF_MAX_SLICES - 1) + 1;

	vec_for_each(&model->slots, slot)
		slice_ns = max_u64(slice_ns, slot->end_ns - slot->begin_ns);
	return slice_ns <= PROF_MAX_SLICE_NS ? slice_ns : 0;
}

static int by_row(const void *a, const void *b)
{
	const struct prof_slice *x = a, *y = b;

	COMPARE(x->row, y->row);
	COMPARE(x->slice, y->slice);
	return 0;
}

/* Adds up the counts of one row in one slice. */
static void add_up(struct merged_slices *s)
{
	size_t nr = 0;

	for (size_t i = 0; i < s->all.nr; i++) {
		const struct prof_slice *part = &s->all.data[i];
		struct prof_slice *last = nr ? &s->all.data[nr - 1] : NULL;

		if (last && !by_row(last, part))
			last->count += part->count;
		else
			s->all.data[nr++] = *part;
	}
	s->all.nr = nr;
}

int merged_slices_init(struct merged_slices *s, const struct model *model, uint64_t length_ns)
{
	*s = (struct merged_slices){.slice_ns = choose_length(model, length_ns)};
	if (!s->slice_ns)
		return 0;
	if (vec_reserve(&s->all, model->slot_counts.nr))
		return -ENOMEM;
	vec_for_each(&model->slot_counts, part) {
		const struct model_slot *slot = &model->slots.data[part->slot];
		uint64_t middle_ns = slot->begin_ns + (slot->end_ns - slot->begin_ns) / 2;

		s->all.data[s->all.nr++] = (struct prof_slice){
			.row = part->row,
			.slice = min_u64(middle_ns, length_ns) / s->slice_ns,
			.count = part->count,
		};
	}
	if (s->all.nr)
		qsort(s->all.data, s->all.nr, sizeof(*s->all.data), by_row);
	add_up(s);
	return 0;
}

void merged_slices_deinit(struct merged_slices *s)
{
	vec_free(&s->all);
	vec_free(&s->out);
}

int merged_slices_put(struct merged_slices *s, uint32_t row, uint32_t out_row)
{
	int ret = 0;

	for (; !ret && s->next < s->all.nr && s->all.data[s->next].row == row; s->next++) {
		struct prof_slice part = s->all.data[s->next];

		part.row = out_row;
		ret = vec_push(&s->out, part);
	}
	return ret;
}

void merged_slices_finish(const struct merged_slices *s, struct prof_epoch *epoch)
{
	epoch->slices = s->out.data;
	epoch->nr_slices = s->out.nr;
	epoch->slice_ns = s->slice_ns;
}

void merged_slices_begin(struct merged_slices *s)
{
	vec_clear(&s->out);
}
