/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts that are added up: rows that differ by their count alone are one row. */
#ifndef FORMAT_COUNT_ROWS_H
#define FORMAT_COUNT_ROWS_H

#include "common/index.h"
#include "common/vec.h"
#include "format/prof.h"

typedef VEC(struct prof_count) count_vec;

/*
 * Adds the count of @row to the row of @rows that is equal otherwise, or appends @row. @index has
 * the places of all @rows. The caller sees to it that no sum overflows. Sets *@at, if @at is not
 * NULL, to the place of the row. Returns 0, -ENOMEM, or -EOVERFLOW for more rows than an index
 * holds.
 */
int count_rows_add(count_vec *rows, struct index *index, const struct prof_count *row,
		   uint32_t *at);

#endif
