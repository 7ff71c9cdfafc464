/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols and lines of files that a recording has told so far, and their sources. It has each
 * of them once, in the first epoch that needs it. A model of later epochs alone needs it, too.
 */
#ifndef REPORT_MODEL_SEEN_NAMES_H
#define REPORT_MODEL_SEEN_NAMES_H

#include "report/model/model.h"

/* An address that needs a name: its object is @seen here, and @object in the model. */
struct unnamed_frame {
	uint32_t seen, object;
	uint64_t offset;
};

struct seen_names {
	struct model names; /* with strings, objects, symbols, lines and sources alone */
	/* By block of code, for seen_names_give_near: the first nr_symbols and nr_lines. */
	struct index symbol_blocks, line_blocks;
	size_t nr_symbols, nr_lines;
	uint64_t levels;                  /* bit n: some symbol stands in blocks of 1 << n bytes */
	VEC(struct unnamed_frame) frames; /* of the model that is given names */
};

/* Returns 0 or -ENOMEM. seen_names_deinit takes all-zero names, too. */
int seen_names_init(struct seen_names *seen);

/* Adds the symbols and lines of files in @epoch. Returns like model_add_epoch. */
int seen_names_add(struct seen_names *seen, const struct prof_epoch *epoch);

/*
 * Adds the symbols of the objects of @model to it. Call it before model_finish. Returns 0, -ENOMEM
 * or -EOVERFLOW.
 */
int seen_names_give(const struct seen_names *seen, struct model *model);

/*
 * Like seen_names_give, but adds the symbols and lines alone that frames of @model can need,
 * without sources. So the work goes by the size of @model, however many names have been seen.
 */
int seen_names_give_near(struct seen_names *seen, struct model *model);

/* Returns the bytes of memory that the names take. */
uint64_t seen_names_bytes(const struct seen_names *seen);

void seen_names_deinit(struct seen_names *seen);

#endif
