/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that makes unwind tables out of anybody's files: it can do nothing but read the
 * descriptors it is handed and hand back memory.
 */
#ifndef RECORD_UNWIND_TABLE_WORKER_H
#define RECORD_UNWIND_TABLE_WORKER_H

#include <stdint.h>

/* With the file's descriptor. */
struct table_request {
	uint32_t tag;
};

/* With that of a sealed memfd, which has the table's bytes, when status is 0. */
struct table_reply {
	uint32_t tag;
	int32_t status; /* 0 or a negative errno */
};

/* In a new process: answers requests that come through @sock until the other end is closed. */
void table_worker_run(int sock) __attribute__((noreturn));

#endif
