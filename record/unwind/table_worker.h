/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that makes unwind tables out of anybody's files. It can only read the descriptors
 * that it gets, and send memory back. Files of many users may wait for it, so users take turns.
 */
#ifndef RECORD_UNWIND_TABLE_WORKER_H
#define RECORD_UNWIND_TABLE_WORKER_H

#include <stdint.h>

#include "common/clock.h"
#include "record/cfi/unwind_table.h"

/* Comes with the file's descriptor. */
struct table_request {
	uint32_t tag;
	uint32_t is_known;   /* the table with this hash need not be made */
	uint32_t uid;        /* of the process that maps the file: takes its turn */
	uint32_t is_made;    /* nobody's file: that user answers for it, too */
	uint32_t cpu_max_us; /* CPU time after which the process ends, unless the file is root's */
	uint8_t known[UNWIND_HASH_BYTES];
};

/* CPU time for a file of root. Large ones, such as browsers, take a tenth of a second. */
#define TABLE_CPU_MAX_US 4000000

/*
 * CPU time for the tables of one user's files: 1 / this of the time that passes, and what can be
 * saved up. Without any left, the answer is -EDQUOT. A file that the child dies of takes all.
 */
#define TABLE_TIME_PART   100
#define TABLE_TIME_MAX_NS NS_PER_S

/*
 * What can be saved up for all files that processes of one user map. Who runs many programs of root
 * needs that much when a recording begins.
 */
#define TABLE_PAYERS_MAX_NS (4 * NS_PER_S)

/*
 * A request for a table, unless it has the hash @known (NULL: in any case). User and time are
 * root's.
 */
struct table_request table_request_make(uint32_t tag, const uint8_t *known);

/*
 * Call it in a new process. Answers requests from @sock until the other end is closed. Does
 * not return.
 */
void table_worker_run(int sock);

#endif
