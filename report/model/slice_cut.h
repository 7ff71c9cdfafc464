/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slices of an epoch that --from and --to select, as an epoch of its own. */
#ifndef REPORT_MODEL_SLICE_CUT_H
#define REPORT_MODEL_SLICE_CUT_H

#include "common/vec.h"
#include "report/model/timespan.h"

/* All zero: empty. The next cut uses the memory again. */
struct slice_cut {
	struct prof_epoch epoch; /* the result: other tables are those of the epoch that was cut */
	VEC(struct prof_count) counts;
	VEC(struct prof_slice) slices;
};

/* Cuts @epoch, which selection_divides. The result is valid as long as @epoch. 0 or -ENOMEM. */
int slice_cut_make(struct slice_cut *cut, const struct selection *selection,
		   const struct prof_epoch *epoch);

void slice_cut_deinit(struct slice_cut *cut);

#endif
