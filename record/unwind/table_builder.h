/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has unwind tables made by a child process (record/unwind/table_worker.h), since the files belong
 * to the profiled processes.
 */
#ifndef RECORD_UNWIND_TABLE_BUILDER_H
#define RECORD_UNWIND_TABLE_BUILDER_H

#include <stdint.h>

#include "common/err.h"
#include "record/cfi/unwind_table.h"
#include "record/languages/files/found_interpreter.h"
#include "record/children/worker_line.h"

/*
 * Starts the child. Requests of others to it are a struct table_request with the file's descriptor.
 * Returns as worker_line_start.
 */
int table_builder_start(struct worker_line **line, struct err *err);

/*
 * Asks for the table of the file @fd, which stays the caller's. A table with the hash @known (NULL:
 * none) is not made: the result is -EALREADY. Returns as worker_line_request.
 */
int table_builder_request(struct worker_line *line, int fd, uint32_t tag, const uint8_t *known);

/*
 * Takes the next request that is done. Returns 0 when none is done, or 1 with *@tag, *@status, the
 * CPU time of the child so far in *@cpu_ns (0: not told), and the interpreter of the file in
 * *@found. If *@status is 0, @table is set and the caller's to deinit. Else *@status is a negative
 * errno: that of unwind_table_build,
 * -EBADMSG, or one of worker_line_next.
 */
int table_builder_next(struct worker_line *line, uint32_t *tag, int *status, uint64_t *cpu_ns,
		       struct unwind_table *table, struct found_interpreter *found);

#endif
