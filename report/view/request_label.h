/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The labels of the requests that threads worked for, by which stacks are chosen and grouped. */
#ifndef REPORT_VIEW_REQUEST_LABEL_H
#define REPORT_VIEW_REQUEST_LABEL_H

#include <stdbool.h>
#include <stdint.h>

#include "common/option_spec.h"
#include "report/model/model.h"

/* Has the label set @set of @model one of the labels @wanted, KEY=VALUE or KEY? */
bool request_label_has(const struct model *model, uint32_t set, const string_vec *wanted);

/*
 * Lets the rows of @model begin with the value of their label @key in place of the name of the
 * thread, and adds up those that have become equal. Returns 0 or -ENOMEM.
 */
int request_label_lead_rows(struct model *model, const char *key);

#endif
