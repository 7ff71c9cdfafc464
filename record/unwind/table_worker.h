/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that makes unwind tables out of anybody's files. It can only read the descriptors
 * that it gets, and send memory back.
 */
#ifndef RECORD_UNWIND_TABLE_WORKER_H
#define RECORD_UNWIND_TABLE_WORKER_H

#include <stdint.h>

#include "record/cfi/unwind_table.h"

/* Comes with the file's descriptor. */
struct table_request {
	uint32_t tag;
	uint32_t is_known; /* the table with this hash need not be made */
	uint8_t known[UNWIND_HASH_BYTES];
};

/* A request for a table, unless it has the hash @known (NULL: in any case). */
struct table_request table_request_make(uint32_t tag, const uint8_t *known);

/*
 * Call it in a new process. Answers requests from @sock until the other end is closed. Does
 * not return.
 */
void table_worker_run(int sock);

#endif
