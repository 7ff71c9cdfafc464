/* SPDX-License-Identifier: GPL-2.0-or-later */
/* New generations of processes and new instances of objects, unique in a merged recording. */
#ifndef REPORT_MERGE_NEW_NUMBERS_H
#define REPORT_MERGE_NEW_NUMBERS_H

#include "report/model/model.h"

struct new_numbers {
	uint32_t *generations; /* by process; its layouts have one */
	uint32_t *instances;   /* by object */
};

/*
 * Numbers the processes and objects of @model from *@last + 1 on, and sets *@last to the last
 * number. Returns 0, -ENOMEM, or -EOVERFLOW if the numbers run out. Call new_numbers_deinit in all
 * cases.
 */
int new_numbers_make(struct new_numbers *numbers, const struct model *model, uint32_t *last);

void new_numbers_deinit(struct new_numbers *numbers);

#endif
