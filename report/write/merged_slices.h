/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counts of a model's rows by slices of time. The recordings of a model stand one after the
 * other, each with slices of its own or with none. An epoch has slices of one length, so each slot
 * of the model counts in the slice that has its middle.
 */
#ifndef REPORT_WRITE_MERGED_SLICES_H
#define REPORT_WRITE_MERGED_SLICES_H

#include "common/vec.h"
#include "format/prof.h"
#include "report/model/model.h"

/* merged_slices_init makes them. */
struct merged_slices {
	VEC(struct prof_slice) all; /* of the model, ascending by row and slice */
	size_t next;                /* the first that is not in an epoch yet */
	uint64_t slice_ns;          /* 0: they would be longer than the format permits */
	VEC(struct prof_slice) out; /* of the epoch that is being made */
};

/*
 * Makes the slices of @model, which keeps slots, in a stretch of @length_ns. Returns 0 or -ENOMEM.
 * Call merged_slices_deinit in both cases.
 */
int merged_slices_init(struct merged_slices *slices, const struct model *model, uint64_t length_ns);

void merged_slices_deinit(struct merged_slices *slices);

/*
 * Puts the slices of row @row of the model into the epoch, where its number is @out_row. Rows come
 * in their order. Returns 0 or -ENOMEM.
 */
int merged_slices_put(struct merged_slices *slices, uint32_t row, uint32_t out_row);

/* Lends the slices that were put to @epoch, until merged_slices_begin. */
void merged_slices_finish(const struct merged_slices *slices, struct prof_epoch *epoch);

/* Begins the next epoch. */
void merged_slices_begin(struct merged_slices *slices);

#endif
