/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables kept from one recording to the next: a directory with a file for each build-id. A
 * file there is checked like a table from the table builder. A build-id can lie. So a kept table
 * has the hash of the parts of the file that it was made from, and counts for no file but those
 * with that hash.
 */
#ifndef RECORD_UNWIND_TABLE_CACHE_H
#define RECORD_UNWIND_TABLE_CACHE_H

#include "common/buildid.h"
#include "record/cfi/unwind_table.h"

/*
 * Reads the table for @id from the directory @dir_fd. Returns 0, -ENOENT, -EBADMSG when the file is
 * no table (it will be replaced), -EINVAL without a build-id, -ENOMEM, or the errno of the open or
 * read.
 */
int table_cache_get(int dir_fd, const struct build_id *id, struct unwind_table *table);

/* As table_cache_get, for the hash of the table alone, which may be damaged otherwise. */
int table_cache_get_hash(int dir_fd, const struct build_id *id,
			 uint8_t hash[static UNWIND_HASH_BYTES]);

/*
 * Keeps @table for @id, in place of an older file. Others see all of it or nothing. Returns 0,
 * -EINVAL without a build-id, or a failing system call's errno.
 */
int table_cache_put(int dir_fd, const struct build_id *id, const struct unwind_table *table);

#endif
