/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slots of a model: the slices of time of its epochs, or whole epochs that have no slices. An
 * epoch can end within a slice. Then the next epoch goes on with it, and they share a slot.
 */
#ifndef REPORT_MODEL_SLOTS_H
#define REPORT_MODEL_SLOTS_H

#include "common/parse.h"
#include "report/model/model.h"

/*
 * Adds the slots of @epoch to @model, if it keeps slots. @slots, which is empty, gets the slot of
 * each slice, or the one slot of an epoch without slices. Returns 0 or -ENOMEM.
 */
int slots_add(struct model *model, const struct prof_epoch *epoch, u32_vec *slots);

#endif
