/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has unwind tables made by a process of its own (record/unwind/table_worker.h), since files belong
 * to whoever is profiled. Nothing here waits for that process; if it dies, another one takes its
 * place.
 */
#ifndef RECORD_UNWIND_TABLE_BUILDER_H
#define RECORD_UNWIND_TABLE_BUILDER_H

#include <stdint.h>

#include "common/err.h"
#include "record/cfi/unwind_table.h"

struct table_builder;

/*
 * Starts the process: early, since it is a copy of the caller. Returns 0 or a negative errno with
 * @err set.
 */
int table_builder_start(struct table_builder **builder, struct err *err);

/*
 * Asks for the table of the file @fd, which stays the caller's. Never blocks: requests wait in
 * line. Returns 0, -EAGAIN when too many wait, -EIO when there is no process and no other is
 * started any more, -ENOMEM, or the errno of a failing system call.
 */
int table_builder_request(struct table_builder *builder, int fd, uint32_t tag);

/* Polls readable when table_builder_next has something to do; the same until destroy. */
int table_builder_fd(const struct table_builder *builder);

/*
 * The next request that is done with, in the order of requests. Returns 0 when none is; or 1 with
 * *@tag, and *@status 0 and @table, the caller's to deinit, or *@status a negative errno: what
 * unwind_table_build returned, -ETIMEDOUT, -EIO when the process died of it, or -EBADMSG.
 */
int table_builder_next(struct table_builder *builder, uint32_t *tag, int *status,
		       struct unwind_table *table);

/* Ends the process, and forgets what was asked for. NULL is fine. */
void table_builder_destroy(struct table_builder *builder);

#endif
