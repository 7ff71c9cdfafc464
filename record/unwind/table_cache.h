/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables kept from one recording to the next: a directory with a file for each build-id. A
 * file there is believed no more than what the table builder hands back. That build-ids name
 * contents is not checked: a file that bears another's spoils its stacks, here and, kept, later.
 */
#ifndef RECORD_UNWIND_TABLE_CACHE_H
#define RECORD_UNWIND_TABLE_CACHE_H

#include "common/buildid.h"
#include "record/cfi/unwind_table.h"

/*
 * Reads the table for @id from the directory @dir_fd. Returns 0, -ENOENT, -EBADMSG when what is
 * there is no table (it will be replaced), -EINVAL without a build-id, -ENOMEM, or the errno of the
 * open or read.
 */
int table_cache_get(int dir_fd, const struct build_id *id, struct unwind_table *table);

/*
 * Keeps @table for @id, in place of what is there. Others see all of it or nothing. Returns 0,
 * -EINVAL without a build-id, or the errno of a failing system call.
 */
int table_cache_put(int dir_fd, const struct build_id *id, const struct unwind_table *table);

#endif
