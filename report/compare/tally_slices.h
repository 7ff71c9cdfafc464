/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counts of one recording by slices of its time: the seconds that the recorder told apart. A
 * recording without them has a slice for each interval, or for each epoch.
 */
#ifndef REPORT_COMPARE_TALLY_SLICES_H
#define REPORT_COMPARE_TALLY_SLICES_H

#include "report/model/recording.h"

/* More slices than this are put together. */
#define SLICES_MAX 4096

/* tally_add makes them if the recording keeps its slots. All zero: there are none. */
struct tally_slices {
	size_t nr;
	uint64_t nr_numbers; /* of what the recording tells apart; a slice can have several */
	size_t nr_keys;
	uint64_t *counts; /* [key * nr + slice] */
	uint64_t *totals; /* of each slice */
	double *lengths;  /* of each slice, as a part of all */
};

/*
 * Makes the slices of @rec for @nr_keys keys, with all counts 0, and the totals of @event. Puts
 * slices together if there are too many counts to keep. Returns 0 or -ENOMEM.
 */
int tally_slices_init(struct tally_slices *slices, const struct recording *rec, uint32_t event,
		      size_t nr_keys);

/* The count of a key in a slice. Keys that only later recordings have count 0. */
static inline uint64_t tally_slices_count(const struct tally_slices *slices, uint32_t key,
					  size_t slice)
{
	return key < slices->nr_keys ? slices->counts[key * slices->nr + slice] : 0;
}

void tally_slices_deinit(struct tally_slices *slices);

/* Returns the slice of slot @slot of @rec. */
size_t tally_slices_find(const struct tally_slices *slices, const struct recording *rec,
			 uint32_t slot);

#endif
