// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_builder.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/unwind/table_worker.h"

/* A file may be on a server that does not answer. */
#define TABLE_SECONDS_MAX 20

int table_builder_start(struct worker_line **line, struct err *err)
{
	const struct worker_kind kind = {.name = "table builder",
					 .run = table_worker_run,
					 .seconds_max = TABLE_SECONDS_MAX,
					 .tells_begin = true};

	return worker_line_start(line, &kind, err);
}

int table_builder_request(struct worker_line *line, int fd, uint32_t tag, const uint8_t *known)
{
	const struct table_request message = table_request_make(tag, known);
	const struct worker_request request = {
		.tag = tag, .bytes = &message, .nr = sizeof(message), .fd = fd};

	return fd < 0 ? -EBADF : worker_line_request(line, &request);
}

int table_builder_next(struct worker_line *line, uint32_t *tag, int *status, uint64_t *cpu_ns,
		       struct unwind_table *table, struct found_interpreter *found)
{
	_cleanup_close_ int memory = -1;
	struct worker_reply reply;

	if (!worker_line_next(line, &reply, &memory))
		return 0;
	*tag = reply.tag;
	*cpu_ns = reply.cpu_ns;
	*status = reply.status;
	memcpy(found, reply.own, sizeof(*found));
	found_interpreter_check(found);
	if (!*status)
		*status = worker_memory_is_sealed(memory) ? unwind_table_read(memory, table)
							  : -EBADMSG;
	return 1;
}
