// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/slice_cut.h"

#include <errno.h>

/* Adds @part to the row that it is of, which is the last one or comes after it. */
static int add_part(struct slice_cut *cut, const struct prof_epoch *epoch, struct prof_slice part,
		    bool is_first)
{
	struct prof_count row = epoch->counts[part.row];

	if (is_first) {
		row.count = 0;
		if (vec_push(&cut->counts, row))
			return -ENOMEM;
	}
	part.row = cut->counts.nr - 1;
	cut->counts.data[part.row].count += part.count;
	return vec_push(&cut->slices, part);
}

int slice_cut_make(struct slice_cut *cut, const struct selection *selection,
		   const struct prof_epoch *epoch)
{
	uint32_t latest = UINT32_MAX;
	int ret = 0;

	vec_clear(&cut->counts);
	vec_clear(&cut->slices);
	for (uint32_t i = 0; i < epoch->nr_slices && !ret; i++) {
		const struct prof_slice *part = &epoch->slices[i];

		if (!selection_takes_slice(selection, epoch, part->slice))
			continue;
		ret = add_part(cut, epoch, *part, part->row != latest);
		latest = part->row;
	}
	cut->epoch = *epoch;
	cut->epoch.counts = cut->counts.data;
	cut->epoch.nr_counts = cut->counts.nr;
	cut->epoch.slices = cut->slices.data;
	cut->epoch.nr_slices = cut->slices.nr;
	return ret;
}

void slice_cut_deinit(struct slice_cut *cut)
{
	vec_free(&cut->counts);
	vec_free(&cut->slices);
}
