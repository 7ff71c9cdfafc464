/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has unwind tables made by child processes (record/unwind/table_worker.h), since the files belong
 * to the profiled processes. A file may lie on a server that does not answer. When the first child
 * has waited for one for half a second, another child takes its place, so that all other files go
 * on. The slow file goes to a child of its kind, the patient one, which begins when it is needed.
 */
#ifndef RECORD_UNWIND_TABLE_BUILDER_H
#define RECORD_UNWIND_TABLE_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "record/cfi/unwind_table.h"
#include "record/languages/files/found_interpreter.h"
#include "record/children/worker_line.h"
#include "record/shares/owner_time.h"

struct table_builder {
	struct worker_line *line;    /* the first child */
	struct worker_line *patient; /* NULL: none was needed yet */
	struct owner_time waits;     /* of the first child for files, by who pays for them */
	struct owner_time all_waits; /* all of these, in one account */
	int epoll_fd; /* polls readable when table_builder_next has something to do */
};

/* Starts the child. Returns as worker_line_start. The deinit is due in any case. */
int table_builder_start(struct table_builder *builder, struct err *err);

/*
 * The line for the request for a file, which is a struct table_request with the file's descriptor.
 * It is that of the patient child if the file @is_slow, or if the first one has waited too much for
 * files of @payer, or of all users and lately of @payer. NULL: that child cannot be started.
 */
struct worker_line *table_builder_line(struct table_builder *builder, bool is_slow, uint32_t payer);

/* The first child has waited in vain for a file that @payer pays for. */
void table_builder_charge_wait(struct table_builder *builder, uint32_t payer);

/*
 * Asks the first child for the table of the file @fd, which stays the caller's. A table with the
 * hash @known (NULL: none) is not made: the result is -EALREADY. Returns as worker_line_request.
 */
int table_builder_request(struct table_builder *builder, int fd, uint32_t tag,
			  const uint8_t *known);

/*
 * Takes the next request that is done. Returns 0 when none is done, or 1 with *@tag, *@status, the
 * CPU time that it took in *@cpu_ns (0: not told), and the interpreter of the file in *@found. If
 * *@status is 0, @table is set and the caller's to deinit. Else *@status is a negative errno: that
 * of unwind_table_build, and -ENOEXEC if a read has failed; -EBADMSG; -EDQUOT: the owner has no CPU
 * time; one of worker_line_next; or -EBUSY: the file is slow.
 */
int table_builder_next(struct table_builder *builder, uint32_t *tag, int *status, uint64_t *cpu_ns,
		       struct unwind_table *table, struct found_interpreter *found);

void table_builder_deinit(struct table_builder *builder);

#endif
