/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols and lines of files that a recording has told so far, and their sources. It has each
 * of them once, in the first epoch that needs it. A model of later epochs alone needs it, too.
 */
#ifndef REPORT_MODEL_SEEN_NAMES_H
#define REPORT_MODEL_SEEN_NAMES_H

#include "report/model/model.h"

/* A model with strings, objects, symbols, lines and sources alone. */
struct seen_names {
	struct model names;
};

/* Returns 0 or -ENOMEM. seen_names_deinit takes all-zero names, too. */
int seen_names_init(struct seen_names *seen);

/* Adds the symbols and lines of files in @epoch. Returns like model_add_epoch. */
int seen_names_add(struct seen_names *seen, const struct prof_epoch *epoch);

/*
 * Adds the symbols of the objects of @model to it. Call it before model_finish. Returns 0, -ENOMEM
 * or -EOVERFLOW.
 */
int seen_names_give(struct seen_names *seen, struct model *model);

void seen_names_deinit(struct seen_names *seen);

#endif
