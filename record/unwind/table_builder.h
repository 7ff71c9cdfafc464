/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has unwind tables made by a child process (record/unwind/table_worker.h), since the files belong
 * to the profiled processes. Nothing here waits for the child. If it dies, a new child takes its
 * place.
 */
#ifndef RECORD_UNWIND_TABLE_BUILDER_H
#define RECORD_UNWIND_TABLE_BUILDER_H

#include <stdint.h>

#include "common/err.h"
#include "record/cfi/unwind_table.h"

struct table_builder;

/*
 * Starts the child. Call it early, since the child is a copy of the caller. Returns 0 or a negative
 * errno with @err set.
 */
int table_builder_start(struct table_builder **builder, struct err *err);

/*
 * A socket for a request to the child: a struct table_request with the file's descriptor. It is the
 * builder's, and valid until the next call. After somebody has sent a request,
 * table_builder_expect is due. Returns 0, -EAGAIN when too many requests wait, -EIO when there is
 * no child and no further child is started, or a failing system call's errno.
 */
int table_builder_sock(struct table_builder *builder, int *sock);
void table_builder_expect(struct table_builder *builder, uint32_t tag);

/*
 * Asks for the table of the file @fd, which stays the caller's. A table with the hash @known (NULL:
 * none) is not made: the result is -EALREADY. Never blocks: requests wait in line. Returns 0, the
 * errors of table_builder_sock, or a failing system call's errno.
 */
int table_builder_request(struct table_builder *builder, int fd, uint32_t tag,
			  const uint8_t *known);

/*
 * A descriptor that polls readable when table_builder_next has something to do. It stays valid
 * until destroy.
 */
int table_builder_fd(const struct table_builder *builder);

/*
 * Takes the next request that is done, in the order of requests. Returns 0 when none is done, or 1
 * with *@tag and *@status set. If *@status is 0, @table is set and the caller's to deinit. Else
 * *@status is a negative errno: that of unwind_table_build, -ETIMEDOUT, -EIO when the child died,
 * or -EBADMSG.
 */
int table_builder_next(struct table_builder *builder, uint32_t *tag, int *status,
		       struct unwind_table *table);

/* Ends the child, and forgets all requests. NULL is fine. */
void table_builder_destroy(struct table_builder *builder);

#endif
