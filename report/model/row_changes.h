/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes to the rows of a whole model: some rows go, or their stacks become others. Totals and the
 * counts of slots follow, so that all outputs agree.
 */
#ifndef REPORT_MODEL_ROW_CHANGES_H
#define REPORT_MODEL_ROW_CHANGES_H

#include "report/model/model.h"

/*
 * Takes the rows of @model out whose @is_kept is false; NULL keeps all rows. Row stack s becomes
 * @stacks[s] unless @stacks is NULL, and rows that have become equal are added up. Returns 0 or
 * -ENOMEM. After an error the model is only good for model_deinit.
 */
int model_change_rows(struct model *model, const bool *is_kept, const uint32_t *stacks);

/* Adds up the rows that differ by their labels alone. Returns 0 or -ENOMEM. */
int model_forget_labels(struct model *model);

/* Adds up the rows of @model that differ in the id of their thread alone. Returns as above. */
int model_forget_tids(struct model *model);

/*
 * Notes the rows that are not @is_kept as left out by a filter of stacks: they are still a part of
 * the whole. Call it before model_change_rows takes them out. Returns 0 or -ENOMEM.
 */
int model_leave_out_rows(struct model *model, const bool *is_kept);

/*
 * Sets @is_used, which has an element for each stack, for the stacks of the rows whose @is_kept is
 * true; NULL stands for all rows. A model whose rows were changed has stacks of no row.
 */
void model_find_used_stacks(const struct model *model, const bool *is_kept, bool *is_used);

#endif
