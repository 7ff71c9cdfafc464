/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of symbols for the inlined functions and the lines that a recording carries. */
#ifndef REPORT_TABLES_EPOCH_LINES_H
#define REPORT_TABLES_EPOCH_LINES_H

#include "report/tables/recording_tables.h"

/*
 * Adds the lines of @epoch to @tables; @objects are those of the epoch. The function of the code
 * itself keeps the name that its symbol in the epoch has. Returns 0 or -ENOMEM.
 */
int epoch_lines_add(struct recording_tables *tables, const struct prof_epoch *epoch,
		    const struct object_identity *objects);

#endif
