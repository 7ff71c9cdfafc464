/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who pays for unwind tables, and the CPU time that the child may take for them. */
#ifndef RECORD_UNWIND_TABLE_TIME_H
#define RECORD_UNWIND_TABLE_TIME_H

#include "record/unwind/file_table.h"

/* Pause of a file whose owner, or who asks for it, has used up the CPU time. */
#define TABLE_TIME_PAUSE_NS NS_PER_S

/*
 * Is a request of @user (its id and 1; 0: not known) for table @nr in vain, as one was a moment ago
 * since that user had no time?
 */
bool table_time_refuses(struct file_tables *tables, uint32_t nr, uint32_t user);

/*
 * Finds the user *@uid of the process of @place, and the time *@left_ns for the file of @table that
 * it maps. Notes who pays. Returns 0; -EAGAIN when that user has used up the time, so that only
 * others may ask; or -EDQUOT when the file's owner has, or made code has used up half of either.
 */
int table_time_get(struct file_tables *tables, struct file_table *table,
		   const struct file_place *place, uint32_t *uid, uint64_t *left_ns);

/* Charges who pays for the file, and its owner. With @status, it has taken @cpu_ns of the child. */
void table_time_charge(struct file_tables *tables, const struct file_table *table, int status,
		       uint64_t cpu_ns);

#endif
