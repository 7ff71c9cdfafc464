// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/compare/tally_slices.h"

#include <errno.h>
#include <stdlib.h>

#include "common/minmax.h"

/* Counts of all keys in all slices: 128 MiB. */
#define COUNTS_MAX (1u << 24)

/* Returns the number of the slice, the interval or the epoch that @slot is in. */
static uint64_t slot_number(const struct recording *rec, uint32_t slot)
{
	uint64_t interval_ns = rec->model.nr_sliced_epochs ? 0 : rec->meta->interval_ns;

	return interval_ns ? rec->model.slots.data[slot].begin_ns / interval_ns : slot;
}

/* Returns the number after that of the last slot. */
static uint64_t nr_numbers(const struct recording *rec)
{
	uint64_t most = 0;

	for (size_t i = 0; i < rec->model.slots.nr; i++)
		if (slot_number(rec, i) >= most)
			most = slot_number(rec, i) + 1;
	return most;
}

size_t tally_slices_find(const struct tally_slices *slices, const struct recording *rec,
			 uint32_t slot)
{
	uint64_t number = slot_number(rec, slot);

	return slices->nr_numbers <= slices->nr
		       ? number
		       : (unsigned __int128)number * slices->nr / slices->nr_numbers;
}

static void fill_lengths(struct tally_slices *slices, const struct recording *rec)
{
	double sum = 0;

	for (size_t i = 0; i < rec->model.slots.nr; i++) {
		const struct model_slot *slot = &rec->model.slots.data[i];
		double ns = slot->end_ns - slot->begin_ns;

		slices->lengths[tally_slices_find(slices, rec, i)] += ns;
		sum += ns;
	}
	for (size_t i = 0; i < slices->nr && sum > 0; i++)
		slices->lengths[i] /= sum;
}

int tally_slices_init(struct tally_slices *slices, const struct recording *rec, uint32_t event,
		      size_t nr_keys)
{
	const struct model *model = &rec->model;
	uint64_t nr = nr_numbers(rec);

	*slices = (struct tally_slices){
		.nr = min_u64(min_u64(nr, SLICES_MAX), COUNTS_MAX / max_u64(nr_keys, 1)),
		.nr_numbers = nr,
		.nr_keys = nr_keys,
	};
	if (!slices->nr)
		return 0;
	slices->counts = calloc(nr_keys * slices->nr, sizeof(*slices->counts));
	slices->totals = calloc(slices->nr, sizeof(*slices->totals));
	slices->lengths = calloc(slices->nr, sizeof(*slices->lengths));
	if (!slices->counts || !slices->totals || !slices->lengths)
		return -ENOMEM;
	fill_lengths(slices, rec);
	vec_for_each(&model->slot_counts, part)
		if (model->rows.data[part->row].event == event)
			slices->totals[tally_slices_find(slices, rec, part->slot)] += part->count;
	vec_for_each(&model->slots_left_out, part)
		if (part->event == event)
			slices->totals[tally_slices_find(slices, rec, part->slot)] += part->count;
	return 0;
}

void tally_slices_deinit(struct tally_slices *slices)
{
	free(slices->counts);
	free(slices->totals);
	free(slices->lengths);
	*slices = (struct tally_slices){0};
}
