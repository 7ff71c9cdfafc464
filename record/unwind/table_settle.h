/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forgets unwind tables without users, so that others have room. */
#ifndef RECORD_UNWIND_TABLE_SETTLE_H
#define RECORD_UNWIND_TABLE_SETTLE_H

#include "record/unwind/file_tables.h"

/*
 * Call it after a grace period: forgets tables that nobody has used since the settle before, if
 * there are many or the maps are tight. Returns 0 or -ENOMEM.
 */
int table_settle(struct file_tables *tables);

#endif
