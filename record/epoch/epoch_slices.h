/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counts of an epoch by slices of time. The drain tells for each count in which slices it was
 * hit. One count can become several rows, and several counts one row.
 */
#ifndef RECORD_EPOCH_EPOCH_SLICES_H
#define RECORD_EPOCH_EPOCH_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/vec.h"
#include "format/prof.h"
#include "record/epoch/raw_count.h"

/* All zero: slices are not kept. */
struct epoch_slices {
	uint64_t length_ns;           /* of a slice */
	uint64_t begin_ns;            /* CLOCK_MONOTONIC: where slice 0 begins */
	VEC(struct prof_slice) parts; /* by slices since begin_ns, in any order */
	/* The count at hand. */
	const struct raw_count *count;
	size_t nr_changes; /* that the hits have passed */
	uint64_t given;    /* hits that rows have got */
};

/* The rows that come now are of @count, which must live as long as they come. */
void epoch_slices_begin_count(struct epoch_slices *slices, const struct raw_count *count);

/* Row @row gets the next @nr hits of the count, in the order of time. Returns 0 or -ENOMEM. */
int epoch_slices_add(struct epoch_slices *slices, uint32_t row, uint64_t nr);

/*
 * Puts the slices into @epoch, whose times are those of CLOCK_MONOTONIC. They are valid until the
 * next change, and @slices must be emptied before more is added.
 */
void epoch_slices_lay_out(struct epoch_slices *slices, struct prof_epoch *epoch);

#endif
